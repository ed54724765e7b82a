/** The five fields of a schedule: their bounds, and the names that stand for numbers. */
const FIELDS: readonly {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  {
    least: 1,
    most: 12,
    names: ' jan feb mar apr may jun jul aug sep oct nov dec'.split(' '),
  },
  { least: 0, most: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
];

const DESCRIPTORS = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

class ScheduleProblem extends Error {}

const numberOf = (text: string, names: readonly string[] = []): number => {
  const named = text === '' ? -1 : names.indexOf(text.toLowerCase());
  if (named >= 0) return named;
  if (/^\d+$/.test(text)) return Number(text);
  if (/^-\d+$/.test(text))
    throw new ScheduleProblem(`negative number (${text}) not allowed: ${text}`);
  throw new ScheduleProblem(
    `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
  );
};

const checkRange = (range: string, field: (typeof FIELDS)[number]): void => {
  const { least, most, names } = field;
  const [span = '', step, ...moreSteps] = range.split('/');
  const [low = '', high, ...moreEnds] = span.split('-');
  if (moreEnds.length > 0) throw new ScheduleProblem(`too many hyphens: ${range}`);
  const isAll = low === '*' || low === '?';
  const start = isAll ? least : numberOf(low, names);
  const toEnd = step === undefined ? start : most;
  const end = isAll ? most : high === undefined ? toEnd : numberOf(high, names);
  if (moreSteps.length > 0) throw new ScheduleProblem(`too many slashes: ${range}`);
  if (start < least) {
    throw new ScheduleProblem(`beginning of range (${start}) below minimum (${least}): ${range}`);
  }
  if (end > most) {
    throw new ScheduleProblem(`end of range (${end}) above maximum (${most}): ${range}`);
  }
  if (start > end) {
    throw new ScheduleProblem(
      `beginning of range (${start}) beyond end of range (${end}): ${range}`,
    );
  }
  if (step !== undefined && numberOf(step) === 0) {
    throw new ScheduleProblem(`step of range should be a positive number: ${range}`);
  }
};

/** What is wrong with the schedule of a CronJob, in the words of Kubernetes. */
export const checkSchedule = (schedule: string): readonly string[] => {
  if (schedule.includes('TZ')) {
    return ['cannot use TZ or CRON_TZ in schedule, use timeZone field instead'];
  }
  if (schedule.startsWith('@')) {
    const isKnown = DESCRIPTORS.has(schedule) || /^@every \S+$/.test(schedule);
    return isKnown ? [] : [`unrecognized descriptor: ${schedule}`];
  }
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    return [`expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`];
  }
  try {
    for (const [index, field] of FIELDS.entries()) {
      for (const range of (fields[index] ?? '').split(',')) checkRange(range, field);
    }
    return [];
  } catch (error) {
    if (error instanceof ScheduleProblem) return [error.message];
    throw error;
  }
};
