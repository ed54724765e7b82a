import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { RequestTarget } from '../request/request-target.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { openPodLog } from '../subresources/open-pod-log.ts';
import { podLogOptions } from '../subresources/pod-log-options.ts';
import type { Exchange } from './exchange.ts';
import { writeHead } from './reply.ts';
import type { ServedApi } from './served-api.ts';

/** Streams what a container writes, no faster than the client reads. */
export const handlePodLog = async (
  { registry }: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: RequestTarget & { readonly name: string },
): Promise<void> => {
  const { response, query } = exchange;
  const options = podLogOptions(query, target.name, registry.clock.now());
  const stream = response as Writable;
  const signal = AbortSignal.any([exchange.signal, exchange.closing]);
  const log = openPodLog(registry, resource, target, options, signal);
  writeHead(exchange, log === undefined ? 204 : 200, { 'content-type': 'text/plain' });
  if (log === undefined) return void stream.end();
  if ('flushHeaders' in response) response.flushHeaders();
  for await (const bytes of log) {
    if (signal.aborted) break;
    if (!stream.write(bytes)) await once(stream, 'drain', { signal }).catch(() => {});
  }
  if (exchange.signal.aborted) stream.destroy();
  else stream.end();
};
