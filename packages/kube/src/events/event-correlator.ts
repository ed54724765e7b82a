import { createHash } from 'node:crypto';
import { RecentMap } from '@perigee/schema/recent-map';
import { checkDnsSubdomain } from '@perigee/schema/values/names';
import type { Clock } from '../clock/clock.ts';
import {
  type EventState,
  type Observation,
  sameKeyOf,
  similarKeyOf,
  sourceKeyOf,
} from './observation.ts';

const REFILL_MS = 300_000;
const FULL_MS = 25 * REFILL_MS;

interface Budget {
  /** Quiet time that the source has saved up; an event costs some of it. */
  readonly savedMs: number;
  readonly at: number;
}

/** Lets 25 events of a source through at once, and then one every five minutes. */
class SpamFilter {
  readonly #budgets: RecentMap<string, Budget>;

  constructor(mostSources: number) {
    this.#budgets = new RecentMap(mostSources);
  }

  lets(source: string, nowMs: number): boolean {
    const { savedMs, at } = this.#budgets.get(source) ?? { savedMs: FULL_MS, at: nowMs };
    // A clock that was set back gives nothing and takes nothing.
    const nowSaved = Math.min(FULL_MS, savedMs + Math.max(0, nowMs - at));
    const passes = nowSaved >= REFILL_MS;
    this.#budgets.set(source, { savedMs: passes ? nowSaved - REFILL_MS : nowSaved, at: nowMs });
    return passes;
  }
}

const MOST_REMEMBERED = 4096;
const MOST_SIMILAR = 10;
const SIMILAR_FOR_MS = 600_000;

interface Similar {
  readonly messages: Set<string>;
  readonly at: number;
}

/** Nanoseconds within a millisecond, other ones for nearly every source. */
const offsetOf = (source: string): bigint =>
  BigInt(createHash('sha256').update(source).digest().readUInt32BE()) % 1_000_000n;

/**
 * Makes few Events of many observations, by the rules of Kubernetes' own components: the same
 * observation counts up the Event that there is; from the tenth message within ten minutes on, similar
 * ones are combined; and a source that still talks too much is not heard.
 */
export class EventCorrelator {
  readonly #clock: Pick<Clock, 'uuid'>;
  readonly #similar = new RecentMap<string, Similar>(MOST_REMEMBERED);
  readonly #events = new RecentMap<string, EventState>(MOST_REMEMBERED);
  readonly #spam = new SpamFilter(MOST_REMEMBERED);
  readonly #offset: bigint;
  #lastStamp = 0n;

  /** @param source Who records: others may record events of the same object at the same moment. */
  constructor(clock: Pick<Clock, 'uuid'>, source = '') {
    this.#clock = clock;
    this.#offset = source === '' ? 0n : offsetOf(source);
  }

  /** The Event to write now; nothing when the source is over its limit. */
  correlate(observation: Observation): EventState | undefined {
    const combines = this.#isOneOfMany(observation);
    const key = combines ? similarKeyOf(observation) : sameKeyOf(observation);
    const record = this.#events.get(key);
    const { at } = observation;
    const event: EventState = {
      ...observation,
      ...(combines ? { message: `(combined from similar events): ${observation.message}` } : {}),
      name: record?.name ?? this.#newName(observation),
      firstAt: record?.firstAt ?? at,
      count: (record?.count ?? 0) + 1,
    };
    this.#events.set(key, event);
    return this.#spam.lets(sourceKeyOf(observation), at) ? event : undefined;
  }

  #isOneOfMany(observation: Observation): boolean {
    const key = similarKeyOf(observation);
    const series = this.#similar.get(key);
    const isFresh = series !== undefined && observation.at - series.at <= SIMILAR_FOR_MS;
    const messages = isFresh ? series.messages : new Set<string>();
    messages.add(observation.message);
    this.#similar.set(key, { messages, at: observation.at });
    if (messages.size < MOST_SIMILAR) return false;
    for (const oldest of messages) {
      messages.delete(oldest);
      break;
    }
    return true;
  }

  /** The object's name and the moment in hexadecimal; those of the same moment differ in it. */
  #newName({ object, at }: Observation): string {
    const now = BigInt(Math.round(at * 1000)) * 1000n + this.#offset;
    this.#lastStamp = now > this.#lastStamp ? now : this.#lastStamp + 1n;
    const name = `${object.name ?? ''}.${this.#lastStamp.toString(16)}`;
    return checkDnsSubdomain(name).length === 0 ? name : this.#clock.uuid();
  }
}
