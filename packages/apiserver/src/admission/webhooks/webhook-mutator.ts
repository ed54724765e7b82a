import { parseExactJson } from '@perigee/schema/exact-json';
import { goQuote } from '@perigee/schema/go-text';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { sameJson } from '@perigee/schema/same-json';
import { PatchError } from '../../errors.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { internalError } from '../../status/server-refusals.ts';
import type { Attributes } from '../attributes.ts';
import { readAgain, withObject } from '../changed-object.ts';
import type { Mutator } from '../run-mutators.ts';
import type { ReviewAnswer } from './admission-review.ts';
import {
  callFailed,
  callWebhook,
  type Invocation,
  invocationOf,
  type WebhookWorld,
} from './call-webhook.ts';
import type { Webhook } from './webhook.ts';

const operationsOf = (webhook: Webhook, patch: string): readonly JsonValue[] | undefined => {
  try {
    const operations = parseExactJson(patch);
    if (Array.isArray(operations)) return operations;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (webhook.ignoresFailures) return undefined;
  throw callFailed(webhook, 'received undecodable patch in webhook response: it is no JSON patch');
};

const applyPatch = (invocation: Invocation, { patch = '', patchType }: ReviewAnswer) => {
  const { webhook, attributes } = invocation;
  if (patch === '') return attributes.object;
  const operations = operationsOf(webhook, patch);
  if (operations === undefined || operations.length === 0) return attributes.object;
  if (attributes.object === undefined) {
    throw internalError(
      `admission webhook ${goQuote(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') {
    if (webhook.ignoresFailures) return attributes.object;
    throw callFailed(webhook, `unsupported patch type ${goQuote(patchType)}`);
  }
  try {
    const result = applyJsonPatch(attributes.object, [...operations]);
    if (isJsonObject(result)) return readAgain(invocation.matchedResource, attributes, result);
  } catch (error) {
    if (error instanceof PatchError) throw internalError(error.message);
    throw error;
  }
  throw internalError(
    `admission webhook ${goQuote(webhook.name)} made something that is no object`,
  );
};

/** Lets one webhook change the object; undefined when it is not called. */
const mutateBy = async (
  world: WebhookWorld,
  webhook: Webhook,
  attributes: Attributes,
): Promise<Attributes | undefined> => {
  const invocation = await invocationOf(world, webhook, attributes);
  if (invocation === undefined) return undefined;
  const answer = await callWebhook(world, invocation, true);
  const before = invocation.attributes.object;
  const after = answer === undefined ? before : applyPatch(invocation, answer);
  if (after === undefined || before === undefined || sameJson(after, before)) return attributes;
  return withObject(attributes, invocation.matchedResource, invocation.attributes, after);
};

export const webhookMutator = (world: WebhookWorld, webhook: Webhook): Mutator => ({
  isReinvoked: webhook.isReinvoked,
  mutate: (attributes) => mutateBy(world, webhook, attributes),
});
