import type { WatchOptions } from '@perigee/kube/client/client';
import type { JsonObject } from '@perigee/schema/json';
import { entrySlices, READ_SLICE } from '../registry/entry-slices.ts';
import { formOf } from '../registry/object-form.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { runWatch, type WatchSink } from '../watch/run-watch.ts';
import { bookmarkOf, type Notice, noticeOf, objectOf } from '../watch/watch-event.ts';
import { openWatch } from '../watch/watch-plan.ts';
import { EventQueue } from './event-queue.ts';

interface Event {
  readonly type: string;
  readonly object: JsonObject;
}

const requestOf = ({ sendInitialEvents, signal, ...options }: WatchOptions) => ({
  ...options,
  allowWatchBookmarks: true,
  ...(sendInitialEvents ? { sendInitialEvents, resourceVersionMatch: 'NotOlderThan' } : {}),
});

/** The events of a watch, one by one. It opens synchronously, and reports errors from `next`. */
export const watchStream = (
  registry: Registry,
  resource: ServedResource,
  options: WatchOptions,
): AsyncIterator<Event, void> => {
  const stop = new AbortController();
  const { signal } = options;
  const abort = () => {
    queue.end({ error: signal?.reason });
    stop.abort();
  };
  const queue = new EventQueue<Event>(() => stop.abort());
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort, { once: true });
  void follow(registry, resource, options, queue, stop.signal)
    .then(
      () => queue.end(),
      (error: unknown) => queue.end({ error }),
    )
    // The signal may outlive many watches, also those that end by themselves.
    .finally(() => signal?.removeEventListener('abort', abort));
  return queue;
};

const follow = async (
  registry: Registry,
  resource: ServedResource,
  options: WatchOptions,
  queue: EventQueue<Event>,
  signal: AbortSignal,
): Promise<void> => {
  const request = requestOf(options);
  const form = formOf(resource);
  const open = openWatch(registry, resource, request);
  const { selection } = open;
  const eventOf = (notice: Notice): Event => ({
    type: notice.type,
    object: objectOf(notice, form),
  });
  const sink: WatchSink = {
    initial: async (entries) => {
      for (const slice of entrySlices(entries, READ_SLICE)) {
        if (signal.aborted) return;
        const objects = slice.map(form.read).filter((object) => selection.matches(object));
        await queue.push(objects.map((object) => ({ type: 'ADDED', object })));
        await registry.clock.yield();
      }
    },
    changes: (batch) =>
      queue.push(
        batch
          .map((event) => noticeOf(event, selection, form))
          .filter((notice) => notice !== undefined)
          .map(eventOf),
      ),
    bookmark: (revision, endsInitialEvents) =>
      queue.add({ type: 'BOOKMARK', object: bookmarkOf(resource, revision, endsInitialEvents) }),
  };
  await runWatch(registry.clock, open, request, sink, signal);
};
