import type { Clock } from '@perigee/kube/clock/clock';
import type { Entry, StoreEvent } from '../store/store.ts';
import { entriesOf } from '../store/store-event.ts';
import type { OpenWatch, WatchRequest } from './watch-plan.ts';

/** Receiver of a watch. A returned promise delays the next call. */
export interface WatchSink {
  initial(entries: readonly Entry[]): void | Promise<void>;
  changes(batch: readonly StoreEvent[]): void | Promise<void>;
  bookmark(revision: number, endsInitialEvents: boolean): void;
}

const BOOKMARK_EVERY_MS = 60_000;
/** So long before its end a watch gets a last bookmark, to be resumed from there. */
const LAST_BOOKMARK_MS = 2000;
/** A watch that sets no limit lasts between this and twice as long. */
const SHORTEST_UNLIMITED_SECONDS = 1800;

/** Calls at the moments at which bookmarks are due. */
const scheduleBookmarks = (clock: Clock, lastsMs: number, notify: () => void): Disposable => {
  const timers = new DisposableStack();
  let timer: Disposable | undefined;
  const next = () => {
    timer = clock.timer(BOOKMARK_EVERY_MS, () => {
      notify();
      next();
    });
  };
  next();
  timers.defer(() => timer?.[Symbol.dispose]());
  if (lastsMs > LAST_BOOKMARK_MS) timers.use(clock.timer(lastsMs - LAST_BOOKMARK_MS, notify));
  return timers;
};

/**
 * Feeds a sink until the watch's time is up, its store ends it, or the signal is aborted. What the sink
 * has not taken yet waits in the store, which ends the watch when that becomes too much.
 */
export const runWatch = async (
  clock: Clock,
  { initial, initialEndsAt, changes, prepare, whenChanged }: OpenWatch,
  { allowWatchBookmarks, timeoutSeconds }: WatchRequest,
  sink: WatchSink,
  signal: AbortSignal,
): Promise<void> => {
  // A bookmark must not cover events that the sink has not received yet.
  let isPreparing = false;
  using stack = new DisposableStack();
  stack.use(changes);
  const stop = () => changes[Symbol.dispose]();
  if (signal.aborted) return;
  signal.addEventListener('abort', stop, { once: true });
  stack.defer(() => signal.removeEventListener('abort', stop));
  const seconds = timeoutSeconds || SHORTEST_UNLIMITED_SECONDS * (1 + clock.random());
  stack.use(clock.timer(seconds * 1000, stop));
  stack.use(whenChanged(stop));
  if (initial.length > 0) {
    if (prepare !== undefined) await prepare(initial);
    await sink.initial(initial);
  }
  if (signal.aborted) return;
  if (initialEndsAt !== undefined) sink.bookmark(initialEndsAt, true);
  if (allowWatchBookmarks) {
    const notify = () => {
      if (!isPreparing) sink.bookmark(changes.revision, false);
    };
    stack.use(scheduleBookmarks(clock, seconds * 1000, notify));
  }
  for await (const batch of changes) {
    if (prepare !== undefined) {
      isPreparing = true;
      await prepare(batch.flatMap(entriesOf));
      isPreparing = false;
    }
    await sink.changes(batch);
  }
};
