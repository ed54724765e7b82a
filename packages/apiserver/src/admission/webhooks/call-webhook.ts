import { ApiError, type Status } from '@perigee/kube/errors';
import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { WebhookError } from '../../errors.ts';
import type { Registry } from '../../registry/registry.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { forbidden } from '../../status/object-refusals.ts';
import { badRequest } from '../../status/request-refusals.ts';
import { internalError } from '../../status/server-refusals.ts';
import { webhookAddress } from '../../webhook/webhook-address.ts';
import type { WebhookClient } from '../../webhook/webhook-client.ts';
import type { Attributes } from '../attributes.ts';
import { admissionValues } from '../cel/admission-values.ts';
import { matchRequest } from '../match-request.ts';
import { requestFacts } from '../request-facts.ts';
import { shownAs } from '../shown-as.ts';
import { type ReviewAnswer, readAnswer, reviewOf, reviewVersion } from './admission-review.ts';
import type { Webhook } from './webhook.ts';

/** Dependencies of calls to webhooks. */
export interface WebhookWorld {
  readonly registry: Registry;
  readonly client: WebhookClient;
  readonly warn: (text: string) => void;
  readonly audit: (key: string, value: string) => void;
}

/** A call of a webhook, with the request in the version of the matching rule. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly matchedResource: ServedResource;
  readonly attributes: Attributes;
}

/** The call of a webhook for a request; undefined if the request does not match. */
export const invocationOf = async (
  { registry }: WebhookWorld,
  webhook: Webhook,
  attributes: Attributes,
): Promise<Invocation | undefined> => {
  const matchedResource = matchRequest(registry, webhook.criteria, attributes);
  if (matchedResource === undefined) return undefined;
  const versionedAttributes = await shownAs(attributes, matchedResource);
  const outcome = webhook.conditions(
    admissionValues(registry, versionedAttributes, matchedResource),
  );
  if ('error' in outcome) throw forbidden(attributes.resource, attributes.name, outcome.error);
  return outcome.matches
    ? { webhook, matchedResource, attributes: versionedAttributes }
    : undefined;
};

/** Error of a webhook that was unreachable, or returned an invalid response. */
export const callFailed = ({ name }: Webhook, why: string): ApiError =>
  internalError(`failed calling webhook ${goQuote(name)}: ${why}`);

/** The denial of a webhook, with its message and code. */
const denial = ({ name }: Webhook, result: JsonObject = {}): ApiError => {
  const { code, status, message, reason } = result;
  const by = `admission webhook ${goQuote(name)} denied the request`;
  const why = message || reason;
  return new ApiError({
    ...(result as unknown as Status),
    kind: 'Status',
    apiVersion: 'v1',
    code: typeof code === 'number' && code >= 400 ? code : 400,
    status:
      typeof status === 'string' && status !== 'Success' && status !== '' ? status : 'Failure',
    message: why ? `${by}: ${why}` : `${by} without explanation`,
  } as Status);
};

const refuseDryRun = ({ name, hasSideEffects }: Webhook, { dryRun }: Attributes): void => {
  if (!dryRun || !hasSideEffects) return;
  throw badRequest(`admission webhook ${goQuote(name)} does not support dry run`);
};

const ask = async (
  { registry, client }: WebhookWorld,
  { webhook, matchedResource, attributes }: Invocation,
  mayPatch: boolean,
): Promise<ReviewAnswer> => {
  const version = reviewVersion(webhook.reviewVersions);
  const uid = registry.clock.uuid();
  const review = reviewOf(version, requestFacts(attributes, matchedResource, uid));
  let reply: JsonObject;
  try {
    const address = webhookAddress(webhook.clientConfig);
    reply = await client.call(address, review, { timeoutMs: webhook.timeoutMs });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new WebhookError(`failed to call webhook: ${error.message}`, { cause: error });
  }
  try {
    return readAnswer(reply, { version, uid, mayPatch });
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new WebhookError(`received invalid webhook response: ${error.message}`, { cause: error });
  }
};

/**
 * Calls a webhook. Returns its response if it allows the request, and undefined if the call failed and the failure
 * policy is `Ignore`. Throws an `ApiError` otherwise.
 */
export const callWebhook = async (
  world: WebhookWorld,
  invocation: Invocation,
  mayPatch: boolean,
): Promise<ReviewAnswer | undefined> => {
  const { webhook, attributes } = invocation;
  refuseDryRun(webhook, attributes);
  let answer: ReviewAnswer;
  try {
    answer = await ask(world, invocation, mayPatch);
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    if (webhook.ignoresFailures) return undefined;
    throw callFailed(webhook, error.message);
  }
  for (const warning of answer.warnings) world.warn(warning);
  for (const [key, value] of Object.entries(answer.auditAnnotations)) {
    world.audit(`${webhook.name}/${key}`, String(value));
  }
  if (!answer.allowed) throw denial(webhook, answer.result);
  return answer;
};
