import { CelFailure } from '../failure.ts';
import { method, type Overload } from '../signature.ts';
import type { Duration, Timestamp } from '../values.ts';

const DAY_MS = 86_400_000;
const MILLION = 1_000_000n;

/** Floor division, for moments before 1970 too. */
const toMs = ({ nanos }: Timestamp): number =>
  Number((nanos - (((nanos % MILLION) + MILLION) % MILLION)) / MILLION);

const OFFSET = /^([+-]?)(\d\d):(\d\d)$/;

/** Offset of a time zone from UTC at a moment; the zone is a name, or an offset such as `-08:00`. */
const offsetMs = (ms: number, zone: string): number => {
  const [, sign, hours, minutes] = OFFSET.exec(zone) ?? [];
  if (hours !== undefined) {
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  }
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(ms);
    const part = (type: string): number =>
      Number(parts.find((candidate) => candidate.type === type)?.value);
    const local = Date.UTC(
      part('year'),
      part('month') - 1,
      part('day'),
      part('hour'),
      part('minute'),
      part('second'),
    );
    return local - Math.floor(ms / 1000) * 1000;
  } catch (error) {
    if (error instanceof RangeError) throw new CelFailure(`unknown time zone ${zone}`);
    throw error;
  }
};

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS);

const PARTS: { readonly [name: string]: (date: Date) => number } = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: dayOfYear,
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const parts: readonly Overload[] = Object.entries(PARTS).flatMap(([name, part]) => [
  method('timestamp', `${name}(): int`, (moment: Timestamp) =>
    BigInt(part(new Date(toMs(moment)))),
  ),
  method('timestamp', `${name}(string): int`, (moment: Timestamp, zone: string) => {
    const ms = toMs(moment);
    return BigInt(part(new Date(ms + offsetMs(ms, zone))));
  }),
]);

const DURATION_UNITS: { readonly [name: string]: bigint } = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: MILLION,
};

export const TIMES: readonly Overload[] = [
  ...parts,
  ...Object.entries(DURATION_UNITS).map(([name, unit]) =>
    method('duration', `${name}(): int`, ({ nanos }: Duration) => nanos / unit),
  ),
];
