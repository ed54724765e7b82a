import { sameJson } from '@perigee/schema/same-json';
import { parseTime } from '@perigee/schema/values/time';
import type { InventoryStatus } from './record-status.ts';

export interface WriteTimes {
  readonly nowMs: number;
  /** The minimum interval of writes that change only amounts. */
  readonly amountsEveryMs: number;
  /** The interval of refreshing `lastSeenTime` in the status. */
  readonly seenEveryMs: number;
}

const split = (status: InventoryStatus) => {
  const { capacity, allocatable, allocated, lastSeenTime, resourcesObservedTime, ...rest } = status;
  return { rest, amounts: [capacity, allocatable, allocated] };
};

const ageMs = (time: string | undefined, nowMs: number): number =>
  time === undefined ? Number.POSITIVE_INFINITY : nowMs - parseTime(time);

/** The delay until a status is written: 0 for at once, undefined if nothing changed. */
export const writeDueInMs = (
  lastStatus: InventoryStatus,
  next: InventoryStatus,
  { nowMs, amountsEveryMs, seenEveryMs }: WriteTimes,
): number | undefined => {
  const before = split(lastStatus);
  const after = split(next);
  if (!sameJson(before.rest, after.rest)) return 0;
  const isSeenAgain =
    next.lastSeenTime !== undefined &&
    ageMs(lastStatus.lastSeenTime, parseTime(next.lastSeenTime)) >= seenEveryMs;
  if (isSeenAgain) return 0;
  if (sameJson(before.amounts, after.amounts)) return undefined;
  return Math.max(0, Math.ceil(amountsEveryMs - ageMs(lastStatus.resourcesObservedTime, nowMs)));
};
