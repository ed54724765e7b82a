import type { Clock } from '../clock/clock.ts';
import { IndexedHeap, NOWHERE } from '../heap/indexed-heap.ts';
import { FairHeap } from './fair-heap.ts';
import { isDueEarlier, type QueueEntry } from './queue-entry.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import { defaultRateLimiter, exponentialBackoff, type RateLimiter } from './rate-limiter.ts';

export interface WorkQueueOptions<T> {
  readonly clock: Clock;
  /** Decides how long `retry` waits. */
  readonly rateLimiter?: RateLimiter<T>;
  readonly metrics?: QueueMetrics;
  /** For whom a key is processed; all for the same unless given. */
  readonly tenantOf?: (key: T) => string;
}

interface Urgency {
  /** Higher goes first; 0 when absent. */
  readonly priority?: number;
}

export interface RetryOptions extends Urgency {
  /**
   * True if it failed only because somebody else was quicker. Such a key waits for itself alone: of a
   * thousand that fail so together, none has to wait for the others.
   */
  readonly isPassing?: boolean;
}

export interface AddOptions extends Urgency {
  /** The least time before a worker gets the key. */
  readonly delayMs?: number;
}

/** A key that one worker processes. Disposing it reports that the worker is done. */
export interface WorkItem<T> extends Disposable {
  readonly key: T;
  readonly priority: number;
}

type Taker<T> = (item: WorkItem<T> | undefined) => void;

/**
 * Keys that wait to be processed. A key waits at most once: adding it again can only make it more
 * urgent or earlier. Higher priorities go first, within one priority tenants take turns, and for one tenant goes
 * first what was due first. One
 * worker has a key at a time: what is added meanwhile is held until the worker is done. So every add
 * is followed by a run that starts after it, and by no more runs than needed.
 *
 *     using work = await queue.take(signal);
 *
 * Every operation is O(log n), and a timer runs only while a delayed key waits.
 */
export class WorkQueue<T> {
  readonly #clock: Clock;
  readonly #limiter: RateLimiter<T>;
  readonly #passing = exponentialBackoff<T>({ baseMs: 5, maxMs: 1000 });
  readonly #metrics: QueueMetrics | undefined;
  readonly #tenantOf: (key: T) => string;
  readonly #entries = new Map<T, QueueEntry<T>>();
  readonly #ready = new FairHeap<T>();
  readonly #delayed = new IndexedHeap<QueueEntry<T>>(isDueEarlier);
  readonly #running = new Map<T, { readonly startedAt: number }>();
  readonly #takers = new Set<Taker<T>>();
  readonly #finished = Promise.withResolvers<void>();
  #alarm: { readonly at: number; readonly timer: Disposable } | undefined;
  #serials = 0;
  #isServing = false;
  #isClosed = false;

  constructor(options: WorkQueueOptions<T>) {
    this.#clock = options.clock;
    this.#limiter = options.rateLimiter ?? defaultRateLimiter(options.clock);
    this.#metrics = options.metrics;
    this.#tenantOf = options.tenantOf ?? (() => '');
    this.#metrics?.follow(this);
  }

  /** Number of keys that wait for a worker; delayed ones count once they are due. */
  get depth(): number {
    return this.#entries.size - this.#delayed.size;
  }

  /** Time that the workers have spent on their present keys. */
  get unfinished(): { readonly totalMs: number; readonly longestMs: number } {
    const now = this.#clock.monotonic();
    let totalMs = 0;
    let longestMs = 0;
    for (const { startedAt } of this.#running.values()) {
      totalMs += now - startedAt;
      longestMs = Math.max(longestMs, now - startedAt);
    }
    return { totalMs, longestMs };
  }

  /** Asks for the key to be processed. Ignored once the queue is shut down. */
  add(key: T, { priority = 0, delayMs = 0 }: AddOptions = {}): void {
    if (this.#isClosed) return;
    const dueAt = this.#clock.monotonic() + (delayMs > 0 ? delayMs : 0);
    const present = this.#entries.get(key);
    if (present === undefined) {
      const tenant = this.#tenantOf(key);
      const serial = this.#serials++;
      const entry = { key, tenant, priority, dueAt, serial, heapIndex: NOWHERE };
      this.#entries.set(key, entry);
      this.#metrics?.added();
      if (!this.#running.has(key)) this.#place(entry);
    } else if (priority > present.priority || dueAt < present.dueAt) {
      present.priority = Math.max(priority, present.priority);
      present.dueAt = Math.min(dueAt, present.dueAt);
      if (present.heap === undefined) return;
      present.heap.remove(present);
      this.#place(present);
    }
  }

  /** Adds a key whose processing failed, after the wait that the rate limiter asks for. */
  retry(key: T, { isPassing = false, ...urgency }: RetryOptions = {}): void {
    if (this.#isClosed) return;
    this.#metrics?.retried();
    const limiter = isPassing ? this.#passing : this.#limiter;
    this.add(key, { ...urgency, delayMs: limiter.nextDelayMs(key) });
  }

  /** The key succeeded, or will not be retried: its next failure counts as the first. */
  forget(key: T): void {
    this.#limiter.forget(key);
    this.#passing.forget(key);
  }

  /** Number of retries of the key since it was last forgotten. */
  failures(key: T): number {
    return this.#limiter.failures(key) + this.#passing.failures(key);
  }

  /**
   * The next key, when there is one; nothing when the queue is shut down and has no more. Rejects
   * with the signal's reason when it is aborted first.
   */
  take(signal?: AbortSignal): Promise<WorkItem<T> | undefined> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const next = this.#takeReady();
    if (next !== undefined || this.#isExhausted()) return Promise.resolve(next);
    return new Promise((resolve, reject) => {
      const taker: Taker<T> = (item) => {
        this.#takers.delete(taker);
        signal?.removeEventListener('abort', onAbort);
        resolve(item);
      };
      const onAbort = () => {
        this.#takers.delete(taker);
        reject(signal?.reason);
      };
      this.#takers.add(taker);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /**
   * Accepts no more keys and drops those that wait; with `drain` only the delayed ones, so that the
   * workers still get the rest. Resolves when no key waits and no worker has one.
   */
  shutDown({ drain = false }: { readonly drain?: boolean } = {}): Promise<void> {
    this.#isClosed = true;
    const now = this.#clock.monotonic();
    for (const entry of this.#entries.values()) {
      if (drain && entry.dueAt <= now) continue;
      entry.heap?.remove(entry);
      this.#entries.delete(entry.key);
    }
    this.#setAlarm();
    this.#finishIfExhausted();
    return this.#finished.promise;
  }

  #place(entry: QueueEntry<T>): void {
    entry.heap = entry.dueAt <= this.#clock.monotonic() ? this.#ready : this.#delayed;
    entry.heap.push(entry);
    this.#setAlarm();
    this.#serveTakers();
  }

  /** Not at once, so that what is added in one breath counts once and goes by its priority. */
  #serveTakers(): void {
    if (this.#takers.size === 0 || this.#isServing) return;
    this.#isServing = true;
    queueMicrotask(() => {
      this.#isServing = false;
      for (const taker of this.#takers) {
        const item = this.#takeReady();
        if (item === undefined) break;
        taker(item);
      }
      this.#finishIfExhausted();
    });
  }

  #takeReady(): WorkItem<T> | undefined {
    const entry = this.#ready.pop();
    if (entry === undefined) return undefined;
    const { key, priority } = entry;
    const run = { startedAt: this.#clock.monotonic() };
    this.#entries.delete(key);
    this.#running.set(key, run);
    this.#metrics?.taken(run.startedAt - entry.dueAt);
    const finish = () => {
      if (this.#running.get(key) === run) this.#finish(key, run.startedAt);
    };
    return { key, priority, [Symbol.dispose]: finish };
  }

  #finish(key: T, startedAt: number): void {
    this.#running.delete(key);
    this.#metrics?.finished(this.#clock.monotonic() - startedAt);
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#place(entry);
    this.#finishIfExhausted();
  }

  #isExhausted(): boolean {
    return this.#isClosed && this.#entries.size === 0;
  }

  #finishIfExhausted(): void {
    if (!this.#isExhausted()) return;
    for (const taker of this.#takers) taker(undefined);
    if (this.#running.size === 0) this.#finished.resolve();
  }

  #setAlarm(): void {
    const at = this.#delayed.peek()?.dueAt;
    if (at === this.#alarm?.at) return;
    this.#alarm?.timer[Symbol.dispose]();
    if (at === undefined) {
      this.#alarm = undefined;
      return;
    }
    const timer = this.#clock.timer(at - this.#clock.monotonic(), () => this.#ring(at));
    this.#alarm = { at, timer };
  }

  /** A timer may fire a hair before its time; what it was set for counts as due all the same. */
  #ring(at: number): void {
    const now = this.#clock.monotonic();
    for (let next = this.#delayed.peek(); next; next = this.#delayed.peek()) {
      if (next.dueAt > Math.max(at, now)) break;
      this.#delayed.remove(next);
      next.dueAt = Math.min(next.dueAt, now);
      next.heap = this.#ready;
      this.#ready.push(next);
    }
    this.#alarm = undefined;
    this.#setAlarm();
    this.#serveTakers();
  }
}
