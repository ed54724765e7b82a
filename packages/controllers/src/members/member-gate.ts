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

/** A ticket whose task does not ask again within this time after `askAgainAt` loses its turn. */
const LOST_AFTER_MS = 30_000;

interface Ticket {
  readonly number: number;
  askAgainAt: number;
}

/** The tasks of a tenant that wait, in the order in which they came. */
interface Line {
  readonly tickets: Map<string, Ticket>;
  ticketCount: number;
  /** The number of issued tickets whose tasks have left the line. */
  departureCount: number;
}

interface Door {
  /** The number of tasks that may enter now; grows at the allowed rate up to the burst. */
  turns: number;
  countedAt: number;
  /** By tenant, in the order of their turns. */
  readonly lines: Map<string, Line>;
  underWay: number;
  closedUntil: number;
  pauseMs: number;
}

const leave = (door: Door, tenant: string, key: string): void => {
  const line = door.lines.get(tenant);
  if (line?.tickets.delete(key) !== true) return;
  line.departureCount += 1;
  if (line.tickets.size === 0) door.lines.delete(tenant);
};

const dropLost = (door: Door, now: number): void => {
  for (const [tenant, { tickets }] of door.lines) {
    for (const [key, { askAgainAt }] of tickets) {
      if (askAgainAt + LOST_AFTER_MS > now) break;
      leave(door, tenant, key);
    }
  }
};

/** The number of tickets before this one; tenants take turns. */
const aheadOf = ({ lines }: Door, own: Line, { number }: Ticket): number => {
  const rank = Math.max(0, number - own.departureCount);
  let ahead = rank;
  let isBefore = true;
  for (const line of lines.values()) {
    if (line === own) isBefore = false;
    else ahead += Math.min(line.tickets.size, isBefore ? rank + 1 : rank);
  }
  return ahead;
};

/**
 * Rate limits and circuit breaker per member, so that no member blocks the others: a task that is not admitted waits in
 * the line of its tenant and is requeued, without occupying a worker. Tenants take turns, so that thousands of tasks of
 * one do not keep another from its one. A member that does not answer is paused.
 */
export class MemberGate {
  readonly #clock: Clock;
  readonly #limits: GateLimits;
  readonly #doors = new Map<string, Door>();

  constructor(clock: Clock, limits: Partial<GateLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  enter(member: string, key: string, tenant = ''): Entry {
    const door = this.#doorOf(member);
    const now = this.#clock.monotonic();
    this.#countTurns(door, now);
    dropLost(door, now);
    const line = door.lines.get(tenant) ?? {
      tickets: new Map(),
      ticketCount: 0,
      departureCount: 0,
    };
    door.lines.set(tenant, line);
    const ticket = line.tickets.get(key) ?? { number: line.ticketCount++, askAgainAt: now };
    line.tickets.set(key, ticket);
    const ahead = aheadOf(door, line, ticket);
    const isFull = door.underWay >= this.#limits.atOnce;
    if (isFull || door.closedUntil > now || ahead + 1 > door.turns) {
      const spacing = 1000 / this.#limits.perSecond;
      const behind = isFull ? ahead + 1 : ahead + 1 - door.turns;
      const waitMs = Math.max(1, behind * spacing, door.closedUntil - now + ahead * spacing);
      ticket.askAgainAt = now + waitMs;
      return { kind: 'wait', waitMs };
    }
    leave(door, tenant, key);
    // Its next turn comes after those of the other tenants.
    if (door.lines.delete(tenant) && line.tickets.size > 0) door.lines.set(tenant, line);
    door.turns -= 1;
    door.underWay += 1;
    return this.#pass(door);
  }

  /** Drops the place of a key in its line. */
  forget(member: string, key: string): void {
    const door = this.#doors.get(member);
    if (door === undefined) return;
    for (const tenant of door.lines.keys()) leave(door, tenant, key);
  }

  #pass(door: Door): Entry {
    let hasFailed = false;
    const leave = () => {
      door.underWay -= 1;
      if (!hasFailed) door.pauseMs = FIRST_PAUSE_MS;
    };
    return {
      kind: 'pass',
      pass: { [Symbol.dispose]: leave },
      failed: (error) => {
        if (!isSilence(error)) return undefined;
        const now = this.#clock.monotonic();
        if (!hasFailed && door.closedUntil <= now) {
          door.closedUntil = now + door.pauseMs;
          door.pauseMs = Math.min(door.pauseMs * 2, LONGEST_PAUSE_MS);
        }
        hasFailed = true;
        return Math.max(1, door.closedUntil - now);
      },
    };
  }

  #countTurns(door: Door, now: number): void {
    const { perSecond, burst } = this.#limits;
    const more = ((now - door.countedAt) * perSecond) / 1000;
    door.turns = Math.min(burst, door.turns + more);
    door.countedAt = now;
  }

  #doorOf(member: string): Door {
    const presentDoor = this.#doors.get(member);
    if (presentDoor !== undefined) return presentDoor;
    const door: Door = {
      turns: this.#limits.burst,
      countedAt: this.#clock.monotonic(),
      lines: new Map(),
      underWay: 0,
      closedUntil: Number.NEGATIVE_INFINITY,
      pauseMs: FIRST_PAUSE_MS,
    };
    this.#doors.set(member, door);
    return door;
  }
}
