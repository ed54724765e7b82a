import { ParseError } from '@perigee/schema/errors';
import { parseDuration } from '@perigee/schema/values/duration';

/** The minutes, hours and days at which something happens. */
export interface CalendarSchedule {
  readonly kind: 'calendar';
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** When both kinds of days are given, either is enough. */
  readonly eitherDay: boolean;
}

export type CronSchedule = CalendarSchedule | { readonly kind: 'every'; readonly periodMs: number };

const MACROS: { readonly [macro: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const EVERY = '@every ';
/** A duration is short; to read millions of digits would take long. */
const LONGEST_DURATION = 100;

interface Field {
  readonly least: number;
  readonly most: number;
  /** Names for the values 0, 1, 2 and so on. */
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: ' jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { least: 0, most: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
];

const numberOf = (text: string, names: readonly string[] = []): number => {
  const index = text === '' ? -1 : names.indexOf(text.toLowerCase());
  if (index >= 0) return index;
  if (/^\d+$/.test(text)) return Number(text);
  if (/^-\d+$/.test(text)) throw new ParseError(`negative number (${text}) not allowed: ${text}`);
  throw new ParseError(
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
};

interface Range {
  readonly numbers: readonly number[];
  /** True if it allows every value: a star without a step. */
  readonly isAny: boolean;
}

const rangeOf = (text: string, { least, most, names }: Field): Range => {
  const [span = '', every, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreEnds] = span.split('-');
  const isStar = low === '*' || low === '?';
  if (!isStar && moreEnds.length > 0) throw new ParseError(`too many hyphens: ${text}`);
  const start = isStar ? least : numberOf(low, names);
  const toEnd = every === undefined ? start : most;
  const end = isStar ? most : high === undefined ? toEnd : numberOf(high, names);
  if (moreSteps.length > 0) throw new ParseError(`too many slashes: ${text}`);
  const step = every === undefined ? 1 : numberOf(every);
  if (start < least) {
    throw new ParseError(`beginning of range (${start}) below minimum (${least}): ${text}`);
  }
  if (end > most) throw new ParseError(`end of range (${end}) above maximum (${most}): ${text}`);
  if (start > end) {
    throw new ParseError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  }
  if (step === 0) throw new ParseError(`step of range should be a positive number: ${text}`);
  const numbers: number[] = [];
  for (let number = start; number <= end; number += step) numbers.push(number);
  return { numbers, isAny: isStar && step === 1 };
};

interface ReadField {
  readonly numbers: ReadonlySet<number>;
  readonly isAny: boolean;
}

const readField = (text: string, field: Field): ReadField => {
  const ranges = text
    .split(',')
    .filter((range) => range !== '')
    .map((range) => rangeOf(range, field));
  return {
    numbers: new Set(ranges.flatMap(({ numbers }) => numbers)),
    isAny: ranges.some(({ isAny }) => isAny),
  };
};

const everyOf = (text: string): CronSchedule => {
  const duration = text.slice(EVERY.length);
  if (duration.length > LONGEST_DURATION) {
    throw new ParseError(`a duration has at most ${LONGEST_DURATION} characters`);
  }
  try {
    const ms = parseDuration(duration);
    return { kind: 'every', periodMs: Math.max(1, Math.floor(ms / 1000)) * 1000 };
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError(`failed to parse duration ${text}: ${error.message}`);
  }
};

/**
 * Reads five fields, a macro such as `@daily`, or `@every 1h30m`, as Kubernetes does. Throws a ParseError that names
 * what is wrong in its words.
 */
export const parseCron = (text: string): CronSchedule => {
  if (text.startsWith(EVERY)) return everyOf(text);
  const macro = Object.hasOwn(MACROS, text) ? MACROS[text] : undefined;
  if (text.startsWith('@') && macro === undefined) {
    throw new ParseError(`unrecognized descriptor: ${text}`);
  }
  const parts = (macro ?? text).split(/\s+/).filter((part) => part !== '');
  if (parts.length !== FIELDS.length) {
    throw new ParseError(`expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`);
  }
  const read = FIELDS.map((field, place) => readField(parts[place] ?? '', field));
  const [minutes, hours, days, months, weekdays] = read as [
    ReadField,
    ReadField,
    ReadField,
    ReadField,
    ReadField,
  ];
  return {
    kind: 'calendar',
    minutes: minutes.numbers,
    hours: hours.numbers,
    days: days.numbers,
    months: months.numbers,
    weekdays: weekdays.numbers,
    eitherDay: !days.isAny && !weekdays.isAny,
  };
};
