import type { Clock } from '@perigee/kube/clock/clock';
import { isSilence } from './is-silence.ts';

export interface GateLimits {
  /** Rate limit per member, in tasks per second, with a burst. */
  readonly perSecond: number;
  readonly burst: number;
  /** Concurrency limit per member. */
  readonly atOnce: number;
}

/** Admission to a member, to be disposed at the end of the task; or the time to wait. */
export type Entry =
  | {
      readonly kind: 'pass';
      readonly pass: Disposable;
      /** Returns the back-off if the member did not answer. */
      failed(error: unknown): number | undefined;
    }
  | { readonly kind: 'wait'; readonly waitMs: number };

const DEFAULT_LIMITS: GateLimits = { perSecond: 200, burst: 400, atOnce: 8 };
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

interface Door {
  /** The next free slot at the allowed rate. */
  nextTurnAt: number;
  readonly turns: Map<string, number>;
  underWay: number;
  closedUntil: number;
  pauseMs: number;
}

/**
 * Rate limits and circuit breaker per member, so that no member blocks the others: a task that is not admitted gets
 * a reserved slot and is requeued, without occupying a worker. A member that does not answer is paused.
 */
export class MemberGate {
  readonly #clock: Clock;
  readonly #limits: GateLimits;
  readonly #doors = new Map<string, Door>();

  constructor(clock: Clock, limits: Partial<GateLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  enter(member: string, key: string): Entry {
    const door = this.#doorOf(member);
    const now = this.#clock.monotonic();
    const turnAt = door.turns.get(key) ?? this.#takeTurn(door, now);
    if (turnAt > now) return this.#wait(door, key, turnAt);
    if (door.closedUntil > now || door.underWay >= this.#limits.atOnce) {
      const spacing = 1000 / this.#limits.perSecond;
      door.nextTurnAt = Math.max(door.nextTurnAt, door.closedUntil, now) + spacing;
      return this.#wait(door, key, door.nextTurnAt);
    }
    door.turns.delete(key);
    door.underWay += 1;
    return this.#pass(door);
  }

  /** Drops the reserved slot of a key. */
  forget(member: string, key: string): void {
    const door = this.#doors.get(member);
    door?.turns.delete(key);
  }

  #pass(door: Door): Entry {
    let failed = false;
    const leave = () => {
      door.underWay -= 1;
      if (!failed) door.pauseMs = FIRST_PAUSE_MS;
    };
    return {
      kind: 'pass',
      pass: { [Symbol.dispose]: leave },
      failed: (error) => {
        if (!isSilence(error)) return undefined;
        const now = this.#clock.monotonic();
        if (!failed && door.closedUntil <= now) {
          door.closedUntil = now + door.pauseMs;
          door.pauseMs = Math.min(door.pauseMs * 2, LONGEST_PAUSE_MS);
        }
        failed = true;
        return Math.max(1, door.closedUntil - now);
      },
    };
  }

  #wait(door: Door, key: string, turnAt: number): Entry {
    door.turns.set(key, turnAt);
    return { kind: 'wait', waitMs: Math.max(1, turnAt - this.#clock.monotonic()) };
  }

  #takeTurn(door: Door, now: number): number {
    const { perSecond, burst } = this.#limits;
    const spacing = 1000 / perSecond;
    door.nextTurnAt = Math.max(door.nextTurnAt, now) + spacing;
    return door.nextTurnAt - burst * spacing;
  }

  #doorOf(member: string): Door {
    const known = this.#doors.get(member);
    if (known !== undefined) return known;
    const door: Door = {
      nextTurnAt: Number.NEGATIVE_INFINITY,
      turns: new Map(),
      underWay: 0,
      closedUntil: Number.NEGATIVE_INFINITY,
      pauseMs: FIRST_PAUSE_MS,
    };
    this.#doors.set(member, door);
    return door;
  }
}
