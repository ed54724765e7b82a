import { scaleColumns } from '@perigee/kubernetes/columns/scale';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { encodeReply } from '../codec/negotiate/encode-reply.ts';
import { replyFormat } from '../codec/negotiate/reply-format.ts';
import { atItsTime, historyForm } from '../history/history-query.ts';
import { type HistoryRequest, objectHistory } from '../history/object-history.ts';
import { getConverted } from '../registry/get.ts';
import { listObjects } from '../registry/list.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { listReply } from './list-reply.ts';
import { listOptions } from './query-options.ts';
import { sendReply } from './reply.ts';
import { objectReply, representationFor } from './representation.ts';
import type { ServedApi } from './served-api.ts';

const handleHistory = async (
  { registry, times }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  request: HistoryRequest,
): Promise<void> => {
  const format = replyFormat(headerOf(exchange, 'accept'), 'object');
  const { encoding, contentType } = format;
  const { isPretty } = representationFor(exchange, resource, format, registry.clock.now());
  const history = await objectHistory(registry, resource, request, times);
  return sendReply(exchange, {
    contentType,
    parts: [encodeReply(history, { encoding, isPretty })],
  });
};

export const handleGet = async (
  api: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: RequestTarget & { readonly name: string },
): Promise<void> => {
  const { registry, times } = api;
  const as = historyForm(exchange.query);
  if (as !== undefined && target.subresource === undefined) {
    return handleHistory(api, exchange, resource, { ...target, as });
  }
  const format = replyFormat(headerOf(exchange, 'accept'), 'object');
  const shownResource =
    target.subresource === 'scale' ? { ...resource, columns: scaleColumns } : resource;
  const view = representationFor(exchange, shownResource, format, registry.clock.now());
  const query = atItsTime(exchange.query, times, registry.clock.now());
  const object = await getConverted(registry, resource, {
    ...target,
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  });
  return sendReply(exchange, objectReply(view, object));
};

export const handleList = async (
  { registry, times }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  { namespace }: RequestTarget,
): Promise<void> => {
  const format = replyFormat(headerOf(exchange, 'accept'), 'list');
  const view = representationFor(exchange, resource, format, registry.clock.now());
  const page = await listObjects(registry, resource, {
    ...listOptions(atItsTime(exchange.query, times, registry.clock.now())),
    ...present({ namespace }),
  });
  const metadata: JsonObject = {
    resourceVersion: String(page.revision),
    ...present({ continue: page.continue, remainingItemCount: page.remaining }),
  };
  return sendReply(exchange, listReply(view, page.entries, metadata, registry.clock));
};
