import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { parseTime } from '@perigee/schema/values/time';
import { ageOf } from './age.ts';
import {
  age,
  containerColumns,
  flag,
  integer,
  selectorColumn,
  text,
  textColumn,
} from './column.ts';
import { at, countAt, isBeingDeleted, isConditionTrue, listAt, textAt } from './fields.ts';
import { humanDuration } from './human-duration.ts';

const jobStatus = (job: JsonObject): string => {
  if (isConditionTrue(job, 'Complete')) return 'Complete';
  if (isConditionTrue(job, 'Failed')) return 'Failed';
  if (isBeingDeleted(job)) return 'Terminating';
  const condition = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find((type) =>
    isConditionTrue(job, type),
  );
  return condition ?? 'Running';
};

const completions = (job: JsonObject): string => {
  const succeeded = countAt(job, 'status', 'succeeded');
  const target = at(job, 'spec', 'completions');
  if (typeof target === 'number') return `${succeeded}/${target}`;
  const parallelism = countAt(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
};

const duration = (job: JsonObject, nowMs: number): string => {
  const start = textAt(job, 'status', 'startTime');
  const end = textAt(job, 'status', 'completionTime');
  if (start === '') return '';
  return end === '' ? ageOf(start, nowMs) : humanDuration(parseTime(end) - parseTime(start));
};

export const jobColumns = [
  text('Status', 'The state of the job in one word.', jobStatus),
  text('Completions', 'How many of its pods have succeeded, of how many.', completions),
  text('Duration', 'How long it took, or has taken so far.', duration),
  age,
  ...containerColumns('spec', 'template'),
  selectorColumn('spec', 'selector'),
];

const suspendText = (suspend: JsonValue | undefined): string => {
  if (typeof suspend !== 'boolean') return '<unset>';
  return suspend ? 'True' : 'False';
};

export const cronJobColumns = [
  textColumn('Schedule', 'When it runs, in the notation of cron.', ['spec', 'schedule']),
  textColumn('Timezone', 'The time zone of the schedule.', ['spec', 'timeZone'], '<none>'),
  flag('Suspend', 'Whether it starts no further jobs.', (object) =>
    suspendText(at(object, 'spec', 'suspend')),
  ),
  integer(
    'Active',
    'How many of its jobs run now.',
    (object) => listAt(object, 'status', 'active').length,
  ),
  text('Last Schedule', 'The time since it started a job last.', (object, nowMs) => {
    const last = textAt(object, 'status', 'lastScheduleTime');
    return last === '' ? '<none>' : ageOf(last, nowMs);
  }),
  age,
  ...containerColumns('spec', 'jobTemplate', 'spec', 'template'),
  selectorColumn('spec', 'jobTemplate', 'spec', 'selector'),
];
