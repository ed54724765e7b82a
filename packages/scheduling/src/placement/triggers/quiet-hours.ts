import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { wallOf } from '@perigee/api/values/cron-times';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

const minutesOf = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return hours * 60 + minutes;
};

/**
 * The remaining quiet hours in milliseconds; 0 outside of them. Throws a ParseError for an unknown
 * time zone.
 */
export const quietFor = (
  { quietHours = [], timeZone = 'UTC' }: Pick<ScheduleTrigger['spec'], 'quietHours' | 'timeZone'>,
  nowMs: number,
): number => {
  if (quietHours.length === 0) return 0;
  const wallMs = wallOf(nowMs, timeZone);
  const minute = Math.floor(wallMs / MINUTE_MS) % DAY_MINUTES;
  const restMs = wallMs % MINUTE_MS;
  const waits = quietHours.map(({ from, to }) => {
    const [begin, end] = [minutesOf(from), minutesOf(to)];
    const isWithin =
      begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
    if (!isWithin || begin === end) return 0;
    return ((end - minute + DAY_MINUTES) % DAY_MINUTES) * MINUTE_MS - restMs;
  });
  return Math.max(0, ...waits);
};
