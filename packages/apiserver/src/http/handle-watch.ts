import type { Clock } from '@perigee/kube/clock/clock';
import { ApiError, isGone } from '@perigee/kube/errors';
import type { Counter } from '@perigee/kube/observe/counter';
import { present, unlessEmpty } from '@perigee/schema/present';
import { replyFormat } from '../codec/negotiate/reply-format.ts';
import { entrySlices, READ_SLICE, WRITE_SLICE } from '../registry/entry-slices.ts';
import { selectionOf } from '../registry/selection.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { statusBody } from '../status/status-body.ts';
import { runWatch, type WatchSink } from '../watch/run-watch.ts';
import { watchPace } from '../watch/watch-pace.ts';
import { type OpenWatch, openWatch, type WatchRequest } from '../watch/watch-plan.ts';
import { type Exchange, headerOf } from './exchange.ts';
import { watchOptions } from './query-options.ts';
import { statusOf } from './reply.ts';
import { representationFor } from './representation.ts';
import type { ServedApi } from './served-api.ts';
import type { WatchBody } from './watch-body.ts';
import { type Encoded, WatchEncoder } from './watch-encoder.ts';
import { watchStream } from './watch-stream.ts';

const watchRequest = ({ query }: Exchange, { namespace, name }: RequestTarget): WatchRequest => {
  const options = watchOptions(query);
  const fields = options.fieldSelector === undefined ? [] : [options.fieldSelector];
  if (name !== undefined) fields.push(`metadata.name=${name}`);
  return {
    ...options,
    ...present({ namespace, fieldSelector: unlessEmpty(fields.join(',')) }),
  };
};

const sinkTo = (
  body: WatchBody,
  encoder: WatchEncoder,
  { changes }: OpenWatch,
  clock: Clock,
  signal: AbortSignal,
  eventCounter: Counter,
): WatchSink => {
  const write = ({ bytes, events }: Encoded, crowd = 1): Promise<void> => {
    eventCounter.increment(events);
    return body.write(bytes, crowd);
  };
  const pace = watchPace(clock, signal);
  // A resumed watch may have a large backlog, and its client may read it as fast as it is sent.
  let work = 0;
  return {
    initial: async (entries) => {
      for (const slice of entrySlices(entries, WRITE_SLICE)) {
        if (signal.aborted) return;
        await write(encoder.initial(slice));
        await clock.yield();
      }
    },
    changes: async (batch) => {
      const encodedBatch = encoder.changes(batch, changes.readers);
      await write(encodedBatch, encodedBatch.crowd);
      work += encodedBatch.examinedCount;
      if (work >= READ_SLICE.bytes) {
        work = 0;
        await clock.yield();
      }
      // A reader that got no event, or has a backlog, continues at once.
      if (encodedBatch.events > 0 && !changes.isBehind) await pace(changes.readers);
    },
    bookmark: (revision, endsInitialEvents) => {
      void write(encoder.bookmark(revision, endsInitialEvents));
    },
  };
};

/** The watch, or the error for its only event: an expired version is not a bad request. */
const openOrGone = (
  { registry }: ServedApi,
  resource: ServedResource,
  request: WatchRequest,
): OpenWatch | { readonly goneError: unknown } => {
  try {
    return openWatch(registry, resource, request);
  } catch (error) {
    if (isGone(error)) return { goneError: error };
    throw error;
  }
};

/** Streams the changes of a resource, one line for each, until the client has enough. */
export const handleWatch = async (
  api: ServedApi,
  exchange: Exchange,
  resource: ServedResource,
  target: RequestTarget,
): Promise<void> => {
  const { clock } = api.registry;
  const accept = watchStream(api, exchange, resource);
  const format = replyFormat(headerOf(exchange, 'accept'), 'watch');
  const view = representationFor(exchange, resource, format, clock.now());
  const request = watchRequest(exchange, target);
  const open = openOrGone(api, resource, request);
  const encoder = new WatchEncoder(view, selectionOf(resource, request), () => clock.now());
  const endController = new AbortController();
  const signal = AbortSignal.any([exchange.signal, exchange.closing, endController.signal]);
  const body = accept(format.contentType, signal);
  if ('goneError' in open) return body.end(encoder.error(statusBody(statusOf(open.goneError))));
  body.stream.once('close', () => endController.abort());
  const eventCounter = exchange.metrics.watchEvents(resource);
  const sink = sinkTo(body, encoder, open, clock, signal, eventCounter);
  try {
    await runWatch(clock, open, request, sink, signal);
    body.end();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    body.end(encoder.error(statusBody(error.status)));
  }
};
