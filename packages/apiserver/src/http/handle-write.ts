import { ApiError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { ANONYMOUS } from '../access/access.ts';
import { type ReplyFormat, replyFormat } from '../codec/negotiate/reply-format.ts';
import { type PatchFormat, patchFormat } from '../codec/negotiate/request-format.ts';
import { allowsVerb } from '../registry/allows-verb.ts';
import { applyObject } from '../registry/apply.ts';
import { bodyResource } from '../registry/body-resource.ts';
import { type PatchType, patchObject } from '../registry/patch.ts';
import { mismatchOf } from '../registry/type-mismatch.ts';
import { updateOrCreate } from '../registry/update.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { badRequest } from '../status/request-refusals.ts';
import { createOrAct } from '../subresources/create-or-act.ts';
import { readConfig, readObject, readPatch } from './decode-body.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { isForced, refuseForce, writeOptions } from './query-options.ts';
import { sendReply } from './reply.ts';
import { objectReply, representationFor } from './representation.ts';
import type { ServedApi } from './served-api.ts';

/**
 * Runs the work. If it refuses an object that Kubernetes could not even decode, the response has the decoding
 * error, which takes precedence; valid objects are not checked twice.
 */
const refusingMistyped = async <T>(
  resource: ServedResource,
  body: JsonObject,
  warnings: string[],
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const { kind, version } = resource;
    const why = error instanceof ApiError ? mismatchOf(resource, body) : undefined;
    if (why === undefined) throw error;
    // Nothing is odd about what cannot be read.
    warnings.length = 0;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
  }
};

type Named = RequestTarget & { readonly name: string };

const answer = (
  { registry }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  format: ReplyFormat,
  object: JsonObject,
  code: number,
): Promise<void> => {
  const view = representationFor(exchange, resource, format, registry.clock.now());
  return sendReply(exchange, { ...objectReply(view, object), code });
};

/** Negotiated first: a client that accepts no format must not change anything. */
const formatOf = (exchange: Exchange, isAction = false): ReplyFormat =>
  replyFormat(headerOf(exchange, 'accept'), isAction ? 'outcome' : 'object');

const requestOf = (exchange: Exchange, kind: Parameters<typeof writeOptions>[2]) => ({
  ...writeOptions(exchange.query, headerOf(exchange, 'user-agent'), kind),
  warn: (text: string) => exchange.warnings.push(text),
});

export const handleCreate = async (
  api: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  { namespace, name, subresource }: RequestTarget,
): Promise<void> => {
  const isAction = subresource !== undefined || !allowsVerb(resource, 'get');
  const format = formatOf(exchange, isAction);
  const request = requestOf(exchange, 'CreateOptions');
  const { object: body, ...problems } = await readObject(exchange, resource, subresource);
  const { user = ANONYMOUS, audit } = exchange;
  audit?.carries(body);
  const create = {
    ...request,
    ...problems,
    ...present({ namespace, name, subresource }),
    user,
    body,
  };
  const object = await refusingMistyped(
    bodyResource(resource, subresource),
    body,
    exchange.warnings,
    () => createOrAct(api.registry, resource, create),
  );
  return answer(api, exchange, resource, format, object, 201);
};

export const handleUpdate = async (
  api: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: Named,
): Promise<void> => {
  const format = formatOf(exchange);
  const request = requestOf(exchange, 'UpdateOptions');
  const { object: body, ...problems } = await readObject(exchange, resource, target.subresource);
  exchange.audit?.carries(body);
  const update = { ...request, ...problems, ...target, body };
  const bodyKind = bodyResource(resource, target.subresource);
  const { object, created } = await refusingMistyped(bodyKind, body, exchange.warnings, () =>
    updateOrCreate(api.registry, resource, update),
  );
  return answer(api, exchange, resource, format, object, created ? 201 : 200);
};

const PATCH_TYPES: { readonly [format in Exclude<PatchFormat, 'apply-patch'>]: PatchType } = {
  'json-patch': 'json',
  'merge-patch': 'merge',
  'strategic-merge-patch': 'strategic',
};

export const handlePatch = async (
  api: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: Named,
): Promise<void> => {
  const format = patchFormat(headerOf(exchange, 'content-type'), resource.origin);
  const reply = formatOf(exchange);
  const request = requestOf(exchange, 'PatchOptions');
  if (format !== 'apply-patch') {
    refuseForce(exchange.query);
    const patch = await readPatch(exchange, format);
    exchange.audit?.carries(patch);
    const change = { ...request, ...target, type: PATCH_TYPES[format], patch };
    const object = await patchObject(api.registry, resource, change);
    return answer(api, exchange, resource, reply, object, 200);
  }
  const { object: config, ...problems } = await readConfig(
    exchange,
    bodyResource(resource, target.subresource),
  );
  exchange.audit?.carries(config);
  const { object, created } = await applyObject(api.registry, resource, {
    ...request,
    ...problems,
    ...target,
    config,
    fieldManager: exchange.query.get('fieldManager') ?? '',
    force: isForced(exchange.query),
  });
  return answer(api, exchange, resource, reply, object, created ? 201 : 200);
};
