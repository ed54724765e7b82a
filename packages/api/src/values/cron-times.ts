import { ParseError } from '@perigee/schema/errors';
import { RecentMap } from '@perigee/schema/recent-map';
import type { CalendarSchedule, CronSchedule } from './cron-schedule.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** A schedule that never comes true in so many days never does. */
const LONGEST_DAYS = 366 * 5;

/** The name of a zone can be written in capitals or not, letter by letter: in more spellings than there is memory. */
const formats = new RecentMap<string, Intl.DateTimeFormat>(1000);

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ParseError(`unknown time zone ${timeZone}`);
  }
};

const formatFor = (timeZone: string): Intl.DateTimeFormat => {
  const cachedFormat = formats.get(timeZone);
  if (cachedFormat !== undefined) return cachedFormat;
  const format = formatOf(timeZone);
  formats.set(timeZone, format);
  return format;
};

/** Local time of a time zone, as if it were in UTC. Throws a ParseError for an unknown time zone. */
export const wallOf = (moment: number, timeZone: string): number => {
  if (timeZone === 'UTC') return moment;
  const parts = formatFor(timeZone).formatToParts(moment);
  const at = (type: string): number =>
    Number(parts.find((part) => part.type === type)?.value ?? Number.NaN);
  return (
    Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second')) +
    (moment % 1000)
  );
};

/** The moment at which the wall shows that; nothing when clocks skip it. */
const momentOf = (wall: number, timeZone: string): number | undefined => {
  const guess = wall - (wallOf(wall, timeZone) - wall);
  for (const moment of [guess, guess - 3_600_000, guess + 3_600_000]) {
    if (wallOf(moment, timeZone) === wall) return moment;
  }
  return undefined;
};

const isDay = ({ days, months, weekdays, eitherDay }: CalendarSchedule, date: Date): boolean => {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [byDay, byWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return eitherDay ? byDay || byWeekday : byDay && byWeekday;
};

const nextOnCalendar = (
  schedule: CalendarSchedule,
  after: number,
  timeZone: string,
): number | undefined => {
  const from = Math.floor(wallOf(after, timeZone) / MINUTE) * MINUTE;
  const firstDay = Math.floor(from / DAY) * DAY;
  const hours = [...schedule.hours].sort((a, b) => a - b);
  const minutes = [...schedule.minutes].sort((a, b) => a - b);
  for (let day = 0; day < LONGEST_DAYS; day++) {
    const midnight = firstDay + day * DAY;
    if (!isDay(schedule, new Date(midnight))) continue;
    for (const hour of hours) {
      for (const minute of minutes) {
        const wall = midnight + (hour * 60 + minute) * MINUTE;
        if (wall < from) continue;
        const moment = momentOf(wall, timeZone);
        if (moment !== undefined && moment > after) return moment;
      }
    }
  }
  return undefined;
};

/**
 * The first moment after the given one at which the schedule comes true; nothing when it never does. Throws a
 * ParseError for an unknown time zone.
 */
export const nextTime = (
  schedule: CronSchedule,
  after: number,
  timeZone = 'UTC',
): number | undefined =>
  schedule.kind === 'every'
    ? Math.floor(after / 1000) * 1000 + schedule.periodMs
    : nextOnCalendar(schedule, after, timeZone);
