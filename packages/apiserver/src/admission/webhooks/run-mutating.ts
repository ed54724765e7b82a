import { parseExactJson } from '@perigee/api/exact-json';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/api/json';
import { goQuote } from '@perigee/api/schema/go-text';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { PatchError } from '../../errors.ts';
import { applyJsonPatch } from '../../patch/json-patch.ts';
import { decodeInput } from '../../registry/decode-input.ts';
import type { ServedResource } from '../../resource/served-resource.ts';
import { internalError } from '../../status/server-refusals.ts';
import { bodyResource } from '../../subresources/body-resource.ts';
import type { Attributes } from '../attributes.ts';
import { convertBetween } from '../shown-as.ts';
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

/** What the object is once the kind has read it: without unknown fields, and with its defaults. */
const readAgain = ({ shown, attributes }: Invocation, object: JsonObject): JsonObject => {
  const type = typeShown(shown, attributes);
  return type === undefined ? object : decodeInput(type, object, { fieldValidation: 'Ignore' });
};

/** A scale is checked where its replicas are taken over. */
const typeShown = (shown: ServedResource, { kind, subresource }: Attributes) => {
  if (kind.kind === shown.kind) return shown;
  const body = bodyResource(shown, subresource);
  return body.kind === kind.kind ? body : undefined;
};

const patched = (invocation: Invocation, { patch = '', patchType }: ReviewAnswer) => {
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
    if (isJsonObject(result)) return readAgain(invocation, result);
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
  const after = answer === undefined ? before : patched(invocation, answer);
  if (after === undefined || before === undefined || sameJson(after, before)) return attributes;
  const { shown } = invocation;
  const { resource } = attributes;
  const isOther = shown !== resource && invocation.attributes.kind.kind === shown.kind;
  return { ...attributes, object: isOther ? await convertBetween(shown, resource, after) : after };
};

/**
 * Lets all webhooks change the object, one after the other. Those that want to see what others changed
 * after them are asked once more at the end, if something changed.
 */
export const runMutating = async (
  world: WebhookWorld,
  webhooks: readonly Webhook[],
  attributes: Attributes,
): Promise<JsonObject | undefined> => {
  let current = attributes;
  const called: Webhook[] = [];
  const outdated = new Set<Webhook>();
  for (const webhook of webhooks) {
    const next = await mutateBy(world, webhook, current);
    if (next === undefined) continue;
    if (next !== current) for (const earlier of called) outdated.add(earlier);
    if (webhook.isReinvoked) called.push(webhook);
    current = next;
  }
  for (const webhook of called) {
    if (outdated.has(webhook)) current = (await mutateBy(world, webhook, current)) ?? current;
  }
  return current.object;
};
