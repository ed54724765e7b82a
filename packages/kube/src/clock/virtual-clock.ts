import { type HeapNode, IndexedHeap, NOWHERE } from '../heap/indexed-heap.ts';
import type { Clock } from './clock.ts';
import { nextTurn } from './real-clock.ts';
import { seededRandom, uuidFrom } from './seeded-random.ts';
import { sleepOn } from './sleep.ts';
import { Turns } from './turns.ts';

export interface VirtualClockOptions {
  /** The moment at which time begins, in milliseconds since the epoch. */
  readonly start?: number;
  /** Decides every random number and UUID. */
  readonly seed?: number;
}

interface Timer extends HeapNode {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const firesBefore = (a: Timer, b: Timer): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

/** Names that Node gives to pending work. Sockets are not among them. */
const UNFINISHED = /^Immediate$|Req/;

/** Code that is busy for longer than this, in real time, never comes to rest: much work on a busy machine does. */
const LONGEST_WORK_MS = 300_000;

/**
 * Time that stands still until it is advanced. Timers fire in the order of their moments, those of
 * one moment in the order of their creation, and all code that a timer set off runs until it waits
 * again before the next timer fires: promises, immediates and files are waited for, sockets are not.
 * Time and chance depend on nothing but the options.
 */
export class VirtualClock implements Clock {
  readonly #start: number;
  readonly #random: () => number;
  readonly #timers = new IndexedHeap(firesBefore);
  readonly #turns = new Turns((run) => setImmediate(run));
  #now: number;
  #busy = 0;
  #created = 0;
  #advancing = false;

  constructor({ start = Date.UTC(2026, 0, 1), seed = 1 }: VirtualClockOptions = {}) {
    this.#start = start;
    this.#now = start;
    this.#random = seededRandom(seed);
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  busy(): number {
    return this.#busy;
  }

  /** Takes time as a long computation does: all else waits meanwhile, timers that are due among it. */
  compute(ms: number): void {
    this.#now += ms;
    this.#busy += ms;
  }

  timer(delayMs: number, run: () => void): Disposable {
    const at = this.#now + Math.max(0, delayMs || 0);
    const timer: Timer = { at, order: this.#created++, run, heapIndex: NOWHERE };
    this.#timers.push(timer);
    return {
      [Symbol.dispose]: () => {
        if (timer.heapIndex !== NOWHERE) this.#timers.remove(timer);
      },
    };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn(this, delayMs, signal);
  }

  /** Takes no time: whoever waits here has work to do before the next timer fires. */
  yield(): Promise<void> {
    return this.#turns.next();
  }

  random(): number {
    return this.#random();
  }

  uuid(): string {
    return uuidFrom(this.#random);
  }

  /** Number of pending timers. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Lets the given time pass, with everything that happens in it. */
  advance(ms: number): Promise<void> {
    return this.advanceTo(this.#now + ms);
  }

  /** Lets time pass until the given moment, with everything that happens before and at it. */
  async advanceTo(moment: number): Promise<void> {
    if (!(moment >= this.#now)) {
      throw new RangeError(`time does not run backwards, from ${this.#now} to ${moment}`);
    }
    await this.#passTime(moment, () => false);
    this.#now = Math.max(this.#now, moment);
  }

  /**
   * Lets time pass until the predicate holds, and no further; it is asked whenever all code has come
   * to rest. Rejects when it does not hold within the limit.
   */
  async runUntil(predicate: () => boolean, limitMs: number): Promise<void> {
    const limit = this.#now + limitMs;
    if (await this.#passTime(limit, predicate)) return;
    const pendingText = `${this.#timers.size} timers are pending`;
    this.#now = limit;
    throw new Error(`the condition did not come true within ${limitMs} ms; ${pendingText}`);
  }

  async #passTime(limit: number, done: () => boolean): Promise<boolean> {
    if (this.#advancing) {
      throw new Error('time is passing already; await the first call before the next one');
    }
    this.#advancing = true;
    try {
      for (;;) {
        await this.#comeToRest();
        if (done()) return true;
        const timer = this.#timers.peek();
        if (timer === undefined || timer.at > limit) return false;
        this.#timers.remove(timer);
        this.#now = Math.max(this.#now, timer.at);
        timer.run();
      }
    } finally {
      this.#advancing = false;
    }
  }

  async #comeToRest(): Promise<void> {
    const limit = Date.now() + LONGEST_WORK_MS;
    do {
      await nextTurn();
      if (!process.getActiveResourcesInfo().some((resource) => UNFINISHED.test(resource))) return;
    } while (Date.now() < limit);
    throw new Error(`code did not come to rest within ${LONGEST_WORK_MS} ms of real time`);
  }
}
