import type { JsonObject } from '@perigee/api/json';
import { replyFormat } from '../codec/negotiate/reply-format.ts';
import { getConverted } from '../registry/get.ts';
import { listObjects } from '../registry/list.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { scaleColumns } from '../table/builtin-columns/scale.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { listReply } from './list-reply.ts';
import { listOptions } from './query-options.ts';
import { sendReply } from './reply.ts';
import { objectReply, representationFor } from './representation.ts';
import type { RequestTarget } from './request-target.ts';
import type { ServedApi } from './served-api.ts';

export const handleGet = async (
  { registry }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: RequestTarget & { readonly name: string },
): Promise<void> => {
  const format = replyFormat(headerOf(exchange, 'accept'), 'object');
  const shown = target.subresource === 'scale' ? { ...resource, columns: scaleColumns } : resource;
  const view = representationFor(exchange, shown, format, registry.clock.now());
  const resourceVersion = exchange.query.get('resourceVersion') ?? '';
  const object = await getConverted(registry, resource, { ...target, resourceVersion });
  return sendReply(exchange, objectReply(view, object));
};

export const handleList = async (
  { registry }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  { namespace }: RequestTarget,
): Promise<void> => {
  const format = replyFormat(headerOf(exchange, 'accept'), 'list');
  const view = representationFor(exchange, resource, format, registry.clock.now());
  const page = await listObjects(registry, resource, {
    ...listOptions(exchange.query),
    ...(namespace === undefined ? {} : { namespace }),
  });
  const metadata: JsonObject = {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  return sendReply(exchange, listReply(view, page.entries, metadata, registry.clock));
};
