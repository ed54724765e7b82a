import type { Clock } from '@perigee/kube/clock/clock';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { parseTime } from '@perigee/schema/values/time';
import { storedMetaOf } from '../../registry/metadata.ts';
import { Deque } from '../../store/deque.ts';
import type { Entry } from '../../store/store.ts';

interface Waiting {
  readonly key: string;
  readonly revision: number;
  /** Time of the write, if it was observed. */
  readonly writtenAt?: number;
}

export interface ExpiryLineOptions {
  readonly clock: Clock;
  readonly ttlMs: number;
  /** The newest state of a key. */
  readonly find: (key: string) => Entry | undefined;
  /** Called with each expired entry. */
  readonly expire: (entry: Entry) => void;
}

/** Number of events per turn of the event loop. */
const SLICE = 100;

const timeIn = (value: JsonValue | undefined): readonly number[] =>
  typeof value === 'string' ? [parseTime(value)] : [];

/** Time of the last write of an event, by its fields. */
const lastWritten = ({ object }: Entry): number => {
  const { creationTimestamp, managedFields = [] } = storedMetaOf(object);
  const { lastTimestamp, eventTime, series } = object;
  const { lastObservedTime }: JsonObject = isJsonObject(series) ? series : {};
  const eventTimes = [lastTimestamp, eventTime, lastObservedTime].flatMap(timeIn);
  const stamps = [creationTimestamp, ...managedFields.map(({ time }) => time)].flatMap(timeIn);
  return Math.max(...stamps, ...eventTimes.filter((time) => !Number.isNaN(time)));
};

/**
 * Entries in the order of their last writes. All have the same time to live, so only the first needs a check, and
 * one timer is enough for all.
 */
export class ExpiryLine implements Disposable {
  readonly #options: ExpiryLineOptions;
  readonly #line = new Deque<Waiting>();
  #timer: Disposable | undefined;
  #isWorking = false;
  #isDisposed = false;

  constructor(options: ExpiryLineOptions) {
    this.#options = options;
  }

  /** Takes in those that were there before, in any order. */
  addAll(entries: readonly Entry[]): void {
    const ordered = entries.toSorted((a, b) => a.revision - b.revision);
    for (const { key, revision } of ordered) this.#line.push({ key, revision });
    this.#start();
  }

  /** Takes in one that was written now. */
  add({ key, revision }: Entry): void {
    this.#line.push({ key, revision, writtenAt: this.#options.clock.now() });
    this.#start();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  #start(): void {
    if (this.#timer === undefined && !this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    this.#timer = undefined;
    for (let count = 1; !this.#isDisposed; count++) {
      const waitMs = this.#lookAtFirst();
      if (waitMs === undefined) break;
      if (waitMs > 0) {
        this.#timer = this.#options.clock.timer(waitMs, () => void this.#work());
        break;
      }
      if (count % SLICE === 0) await this.#options.clock.yield();
    }
    this.#isWorking = false;
  }

  /** Time in milliseconds until the first event expires; 0 if it was handled, undefined if there is none. */
  #lookAtFirst(): number | undefined {
    const { clock, ttlMs, find, expire } = this.#options;
    const first = this.#line.at(0);
    if (first === undefined) return undefined;
    const entry = find(first.key);
    // An event with a later write has another place in the line.
    const isCurrent = entry?.revision === first.revision;
    const waitMs = isCurrent ? (first.writtenAt ?? lastWritten(entry)) + ttlMs - clock.now() : 0;
    if (waitMs > 0) return waitMs;
    this.#line.shift();
    if (isCurrent) expire(entry);
    return 0;
  }
}
