import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { objectAt, textAt } from '../kinds/fields.ts';
import { getObject } from '../registry/get.ts';
import { storedMetaOf } from '../registry/metadata.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { unknownResource } from '../status/request-refusals.ts';
import { chooseContainer, containerIdFor } from '../subresources/pod-log-container.ts';
import { podLogOptions } from '../subresources/pod-log-options.ts';
import type { Exchange } from './exchange.ts';
import { writeHead } from './reply.ts';
import type { RequestTarget } from './request-target.ts';
import type { ServedApi } from './served-api.ts';

/** Streams what a container writes, no faster than the client reads. */
export const handlePodLog = async (
  { registry }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: RequestTarget & { readonly name: string },
): Promise<void> => {
  const read = registry.podLogs?.read;
  if (read === undefined) throw unknownResource();
  const { response, query } = exchange;
  const { name, namespace = '' } = target;
  const { previous, ...options } = podLogOptions(query, name, registry.clock.now());
  const pod = getObject(registry, resource, { namespace, name });
  const container = chooseContainer(pod, options.container);
  const isPlaced = textAt(objectAt(pod, 'spec'), 'nodeName') !== '';
  const containerID = isPlaced ? containerIdFor(pod, container, previous) : '';
  const stream = response as Writable;
  const signal = AbortSignal.any([exchange.signal, exchange.closing]);
  const { uid } = storedMetaOf(pod);
  // Nobody has begun with a pod that has no node.
  writeHead(exchange, isPlaced ? 200 : 204, { 'content-type': 'text/plain' });
  if (!isPlaced) return void stream.end();
  if ('flushHeaders' in response) response.flushHeaders();
  const request = { ...options, namespace, name, uid, container, containerID, signal };
  for await (const bytes of read(request)) {
    if (signal.aborted) break;
    if (!stream.write(bytes)) await once(stream, 'drain', { signal }).catch(() => {});
  }
  if (exchange.signal.aborted) stream.destroy();
  else stream.end();
};
