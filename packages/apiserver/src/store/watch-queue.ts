import type { StoreEvent, StoreWatch } from './store.ts';
import { subjectOf } from './store-event.ts';

/** Events that were published together; shared by all watches that get them. */
export interface WatchBatch<E extends StoreEvent = StoreEvent> {
  readonly events: readonly E[];
  /** The size of their objects. */
  readonly bytes: number;
}

export interface WatchLimits {
  /** Backlog limit of a reader in events; beyond it, the watch ends. */
  readonly events: number;
  /** Backlog limit of a reader in bytes of objects. */
  readonly bytes: number;
}

export interface WatchQueueOptions<E extends StoreEvent = StoreEvent> {
  readonly limits: WatchLimits;
  /** Missed events from the history, which is bounded already: they do not count as backlog. */
  readonly missedEvents: readonly E[];
  /** The newest revision whose events are all in the queue. */
  readonly revision: () => number;
  /** The watches that get the same events. */
  readonly crowd: { readonly size: number };
  readonly onEnd: () => void;
}

/** Largest portion of the backlog that a reader gets at once: the backlog may be the whole history. */
export const PORTION_BYTES = 256 * 1024;
export const PORTION_EVENTS = 500;

function* portionsOf<E extends StoreEvent>(events: readonly E[]): Generator<readonly E[]> {
  let start = 0;
  let bytes = 0;
  for (const [at, event] of events.entries()) {
    bytes += subjectOf(event).bytes.length;
    if (bytes < PORTION_BYTES && at - start + 1 < PORTION_EVENTS) continue;
    yield events.slice(start, at + 1);
    start = at + 1;
    bytes = 0;
  }
  if (start < events.length) yield events.slice(start);
}

/**
 * Merged batches, by the first of them and their number. A slow reader keeps its batches, but not those that were
 * merged for others.
 */
const mergedBatches = new WeakMap<object, Map<number, WeakRef<WatchBatch>>>();

/**
 * Merges as many batches as fit into a portion. The result is the same reference for all readers with the same
 * backlog, so that it is encoded only once.
 */
const nextOf = <E extends StoreEvent>(batches: WatchBatch<E>[]): WatchBatch<E> | undefined => {
  const [first] = batches;
  if (first === undefined) return undefined;
  let { bytes } = first;
  let events = first.events.length;
  let count = 1;
  for (; count < batches.length; count++) {
    const next = batches[count] as WatchBatch<E>;
    bytes += next.bytes;
    events += next.events.length;
    if (bytes > PORTION_BYTES || events > PORTION_EVENTS) break;
  }
  const takenBatches = batches.splice(0, count);
  if (count === 1) return first;
  const batchesByCount = mergedBatches.get(first) ?? new Map<number, WeakRef<WatchBatch>>();
  mergedBatches.set(first, batchesByCount);
  const cachedBatch = batchesByCount.get(count)?.deref() as WatchBatch<E> | undefined;
  if (cachedBatch !== undefined) return cachedBatch;
  const batch = {
    events: takenBatches.flatMap((one) => one.events),
    bytes: takenBatches.reduce((sum, one) => sum + one.bytes, 0),
  };
  batchesByCount.set(count, new WeakRef(batch));
  return batch;
};

/** The backlog of one reader. */
export class WatchQueue<E extends StoreEvent = StoreEvent> implements StoreWatch<E> {
  readonly #options: WatchQueueOptions<E>;
  /** Missed events from the history. */
  readonly #missedBatches: WatchBatch<E>[];
  #batches: WatchBatch<E>[] = [];
  #events = 0;
  #bytes = 0;
  #hasEnded = false;
  #wake: (() => void) | undefined;

  constructor(options: WatchQueueOptions<E>) {
    this.#options = options;
    this.#missedBatches = [...portionsOf(options.missedEvents)].map((events) => ({
      events,
      bytes: 0,
    }));
  }

  get readers(): number {
    return this.#options.crowd.size;
  }

  get isBehind(): boolean {
    return (
      this.#missedBatches.length > 0 || this.#bytes > PORTION_BYTES || this.#events > PORTION_EVENTS
    );
  }

  get revision(): number {
    const next = (this.#missedBatches[0] ?? this.#batches[0])?.events[0];
    return next === undefined ? this.#options.revision() : next.revision - 1;
  }

  push(batch: WatchBatch<E>): void {
    this.#events += batch.events.length;
    this.#bytes += batch.bytes;
    if (this.#isTooSlow()) {
      this[Symbol.dispose]();
      return;
    }
    this.#batches.push(batch);
    this.#wake?.();
  }

  /** Ends the queue after its backlog. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.onEnd();
    this.#wake?.();
  }

  [Symbol.dispose](): void {
    this.#missedBatches.length = 0;
    this.#batches = [];
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly E[], void, undefined> {
    for (;;) {
      const batch = this.#missedBatches.shift() ?? this.#take();
      if (batch !== undefined) {
        yield batch.events;
      } else if (this.#hasEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }

  #take(): WatchBatch<E> | undefined {
    const batch = nextOf(this.#batches);
    this.#events -= batch?.events.length ?? 0;
    this.#bytes -= batch?.bytes ?? 0;
    return batch;
  }

  /** One batch may exceed the limits: then no reader could be fast enough. */
  #isTooSlow(): boolean {
    const { events, bytes } = this.#options.limits;
    return this.#batches.length > 0 && (this.#events > events || this.#bytes > bytes);
  }
}
