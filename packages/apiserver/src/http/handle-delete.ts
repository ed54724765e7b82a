import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { replyFormat } from '../codec/negotiate/reply-format.ts';
import { deleteObject } from '../registry/delete.ts';
import { deleteCollection } from '../registry/delete-collection.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { deletedStatus, statusBody } from '../status/status-body.ts';
import { readDeleteOptions } from './delete-options.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { listReply } from './list-reply.ts';
import { listOptions } from './query-options.ts';
import { sendReply } from './reply.ts';
import { representationFor } from './representation.ts';
import type { ServedApi } from './served-api.ts';

const send = (exchange: Exchange, body: JsonObject): Promise<void> =>
  sendReply(exchange, {
    contentType: 'application/json',
    parts: [`${JSON.stringify(body)}\n`],
  });

/** Answers with what is left of the object, or with a Status when nothing is. */
export const handleDelete = async (
  { registry }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: RequestTarget & { readonly name: string },
): Promise<void> => {
  const options = await readDeleteOptions(exchange);
  const { isGone, object } = await deleteObject(registry, resource, { ...options, ...target });
  if (!isGone || resource.strategy.returnsDeleted) return send(exchange, object);
  const { name, uid } = storedMetaOf(object);
  return send(exchange, statusBody(deletedStatus(resource, name, uid)));
};

export const handleDeleteCollection = async (
  { registry }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  { namespace }: RequestTarget,
): Promise<void> => {
  const options = await readDeleteOptions(exchange);
  const format = replyFormat(headerOf(exchange, 'accept'), 'list');
  const view = representationFor(exchange, resource, format, registry.clock.now());
  const { revision, entries } = await deleteCollection(registry, resource, {
    ...listOptions(exchange.query),
    ...options,
    ...present({ namespace }),
  });
  const metadata = { resourceVersion: String(revision) };
  return sendReply(exchange, listReply(view, entries, metadata, registry.clock));
};
