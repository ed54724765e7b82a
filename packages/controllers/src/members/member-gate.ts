import type { Clock } from '@perigee/kube/clock/clock';
import { isSilence } from './is-silence.ts';

export interface GateLimits {
  /** How many pieces of work a member gets in a second, after a burst. */
  readonly perSecond: number;
  readonly burst: number;
  /** How many are under way to one member at the same time. */
  readonly atOnce: number;
}

/** Leave to work with a member, to be disposed when done; or how long to wait before asking again. */
export type Entry =
  | {
      readonly kind: 'pass';
      readonly pass: Disposable;
      /** Tells for how long the member is left alone, if it did not answer. */
      failed(error: unknown): number | undefined;
    }
  | { readonly kind: 'wait'; readonly waitMs: number };

const DEFAULT_LIMITS: GateLimits = { perSecond: 200, burst: 400, atOnce: 8 };
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

interface Door {
  /** When the next turn would be if everybody came at the rate that is allowed. */
  nextTurnAt: number;
  readonly turns: Map<string, number>;
  underWay: number;
  closedUntil: number;
  pauseMs: number;
}

/**
 * Keeps one member from holding up the others: who cannot be served now gets a turn of its own and goes
 * away, so that nobody waits at the door. A member that does not answer is left alone for a while.
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

  /** The key will not come back. */
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
