import type { JsonObject } from '@perigee/api/json';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { deleteObject } from '../registry/delete.ts';
import { deleteCollection } from '../registry/delete-collection.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { deletedStatus, statusBody } from '../status/status-body.ts';
import { readDeleteOptions } from './delete-options.ts';
import type { Exchange } from './exchange.ts';
import { listOptions } from './query-options.ts';
import { sendReply } from './reply.ts';
import type { RequestTarget } from './request-target.ts';
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
  const { gone, object } = await deleteObject(registry, resource, { ...options, ...target });
  if (!gone || resource.strategy.returnsDeleted) return send(exchange, object);
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
  const { revision, objects } = await deleteCollection(registry, resource, {
    ...listOptions(exchange.query),
    ...options,
    ...(namespace === undefined ? {} : { namespace }),
  });
  return send(exchange, {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: { resourceVersion: String(revision) },
    items: objects,
  });
};
