import type { Attributes } from '../attributes.ts';
import { callWebhook, type Invocation, invocationOf, type WebhookWorld } from './call-webhook.ts';
import type { Webhook } from './webhook.ts';

/** Calls all validating webhooks at once. Throws the denial of the first of them. */
export const runValidating = async (
  world: WebhookWorld,
  webhooks: readonly Webhook[],
  attributes: Attributes,
): Promise<void> => {
  const invocations: Invocation[] = [];
  for (const webhook of webhooks) {
    const invocation = await invocationOf(world, webhook, attributes);
    if (invocation !== undefined) invocations.push(invocation);
  }
  const answers = await Promise.allSettled(
    invocations.map((invocation) => callWebhook(world, invocation, false)),
  );
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
};
