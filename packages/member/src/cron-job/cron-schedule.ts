/** The minutes, hours and days at which something happens. */
export interface CronSchedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** When both kinds of days are said, either is enough. */
  readonly eitherDay: boolean;
}

const MACROS: { readonly [macro: string]: string } = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: MONTHS },
  { least: 0, most: 7, names: WEEKDAYS },
];

const numberOf = (text: string, { least, most, names = [] }: Field): number => {
  const named = names.indexOf(text.toLowerCase());
  const number = named >= 0 ? named + (names === MONTHS ? 1 : 0) : Number(text);
  if (!/^\d+$/.test(text) && named < 0) throw new RangeError(`"${text}" is no number`);
  if (number < least || number > most) {
    throw new RangeError(`${text} is not between ${least} and ${most}`);
  }
  return number;
};

const partOf = (text: string, field: Field): readonly number[] => {
  const [range = '', every = '1', ...more] = text.split('/');
  const step = Number(every);
  if (more.length > 0 || !Number.isInteger(step) || step < 1) {
    throw new RangeError(`"${text}" has no step that can be used`);
  }
  const isAny = range === '*' || range === '?';
  const [first = '', last] = range.split('-');
  const from = isAny ? field.least : numberOf(first, field);
  const open = isAny || text.includes('/') ? field.most : from;
  const to = last === undefined ? open : numberOf(last, field);
  if (from > to) throw new RangeError(`"${range}" ends before it begins`);
  const numbers: number[] = [];
  for (let number = from; number <= to; number += step) numbers.push(number);
  return numbers;
};

const setOf = (text: string, field: Field): ReadonlySet<number> =>
  new Set(text.split(',').flatMap((part) => partOf(part, field)));

/** Reads five fields, or a macro such as `@daily`. Throws a RangeError that says what is wrong. */
export const parseCron = (text: string): CronSchedule => {
  const parts = (MACROS[text.trim()] ?? text).trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    throw new RangeError(`a schedule has five fields, not ${parts.length}: "${text}"`);
  }
  const sets = FIELDS.map((field, place) => setOf(parts[place] ?? '', field));
  const [minutes, hours, days, months, week] = sets;
  const none = new Set<number>();
  const isAny = (place: number) => /^[*?]/.test(parts[place] ?? '');
  return {
    minutes: minutes ?? none,
    hours: hours ?? none,
    days: days ?? none,
    months: months ?? none,
    weekdays: new Set([...(week ?? none)].map((day) => day % 7)),
    eitherDay: !isAny(2) && !isAny(4),
  };
};
