import type { StoreEvent, StoreWatch } from './store.ts';
import { subjectOf } from './store-event.ts';

/** Events that were published together; shared by all watches that get them. */
export interface WatchBatch<E extends StoreEvent = StoreEvent> {
  readonly events: readonly E[];
  /** The size of their objects. */
  readonly bytes: number;
}

export interface WatchLimits {
  /** How many events may wait for a reader before its watch ends. */
  readonly events: number;
  /** The same in bytes of their objects. */
  readonly bytes: number;
}

export interface WatchQueueOptions<E extends StoreEvent = StoreEvent> {
  readonly limits: WatchLimits;
  /** What was missed, from the history: it is bounded already and does not count as backlog. */
  readonly missed: readonly E[];
  /** The newest revision of the store. */
  readonly revision: () => number;
  readonly onEnd: () => void;
}

/** What was missed can be the whole history: no reader works on more of it in one go than this. */
const PORTION_BYTES = 256 * 1024;
const PORTION_EVENTS = 500;

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

/** What waits for one reader. */
export class WatchQueue<E extends StoreEvent = StoreEvent> implements StoreWatch<E> {
  readonly #options: WatchQueueOptions<E>;
  #batches: WatchBatch<E>[] = [];
  /** How many of the batches are what was missed. */
  #missed: number;
  #events = 0;
  #bytes = 0;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(options: WatchQueueOptions<E>) {
    this.#options = options;
    const { missed } = options;
    for (const events of portionsOf(missed)) this.#batches.push({ events, bytes: 0 });
    this.#missed = this.#batches.length;
  }

  get revision(): number {
    const next = this.#batches[0]?.events[0];
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

  /** Lets the reader have what waits, and nothing more. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnd();
    this.#wake?.();
  }

  [Symbol.dispose](): void {
    this.#batches = [];
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly E[], void, undefined> {
    for (;;) {
      const batch = this.#batches.shift();
      if (batch !== undefined) {
        this.#forget(batch);
        yield batch.events;
      } else if (this.#ended) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }

  #forget({ events, bytes }: WatchBatch<E>): void {
    if (this.#missed > 0) {
      this.#missed -= 1;
      return;
    }
    this.#events -= events.length;
    this.#bytes -= bytes;
  }

  /** One batch may be larger than the limits: then no reader could be quick enough. */
  #isTooSlow(): boolean {
    const { events, bytes } = this.#options.limits;
    return this.#batches.length > 0 && (this.#events > events || this.#bytes > bytes);
  }
}
