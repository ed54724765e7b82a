import { parseCron } from '@perigee/api/values/cron-schedule';
import { nextTime } from '@perigee/api/values/cron-times';
import type { CronJob } from '@perigee/kubernetes/batch/cron-job';
import { isJobFinished, type Job } from '@perigee/kubernetes/batch/job';
import { parseTime } from '@perigee/schema/values/time';

export interface CronDecision {
  /** Scheduled time of the job to create now. */
  readonly start: number | undefined;
  /** Running jobs to delete first (concurrencyPolicy Replace). */
  readonly replace: readonly Job[];
  /** Finished jobs beyond the history limits. */
  readonly drop: readonly Job[];
  readonly next: number | undefined;
}

const MOST_MISSED = 100;

const isComplete = ({ status }: Job): boolean =>
  (status?.conditions ?? []).some(({ type, status: is }) => type === 'Complete' && is === 'True');

const startedAt = ({ metadata, status }: Job): number =>
  parseTime(status?.startTime ?? metadata.creationTimestamp);

const surplus = (jobs: readonly Job[], limit: number): readonly Job[] =>
  jobs.toSorted((a, b) => startedAt(a) - startedAt(b)).slice(0, Math.max(0, jobs.length - limit));

/** The latest scheduled time that is due, and the next one. Of several missed times only the last counts. */
const duePair = (
  { metadata, spec, status }: CronJob,
  now: number,
): { readonly due: number | undefined; readonly next: number | undefined } => {
  const schedule = parseCron(spec.schedule);
  const { startingDeadlineSeconds: seconds, timeZone } = spec;
  const last = parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp);
  const earliest = seconds === undefined ? last : Math.max(last, now - seconds * 1000);
  let due: number | undefined;
  let next = nextTime(schedule, earliest, timeZone);
  for (let missedCount = 0; next !== undefined && next <= now; missedCount++) {
    due = next;
    // After a long gap, skip ahead to a day before now.
    const from = missedCount > MOST_MISSED ? Math.max(next, now - 86_400_000) : next;
    next = nextTime(schedule, from, timeZone);
  }
  return { due, next };
};

/**
 * Decides which jobs a CronJob creates and deletes now. Throws a ParseError when its schedule or time zone cannot be
 * read.
 */
export const decideCronJob = (cron: CronJob, jobs: readonly Job[], now: number): CronDecision => {
  const { spec } = cron;
  const active = jobs.filter((job) => !isJobFinished(job));
  const finishedJobs = jobs.filter(isJobFinished);
  const { successfulJobsHistoryLimit: good = 3, failedJobsHistoryLimit: bad = 1 } = spec;
  const drop = [
    ...surplus(finishedJobs.filter(isComplete), good),
    ...surplus(
      finishedJobs.filter((job) => !isComplete(job)),
      bad,
    ),
  ];
  if (spec.suspend || cron.metadata.deletionTimestamp !== undefined) {
    return { start: undefined, replace: [], drop, next: undefined };
  }
  const { due, next } = duePair(cron, now);
  const isHeld = spec.concurrencyPolicy === 'Forbid' && active.length > 0;
  const start = isHeld ? undefined : due;
  const replace = start !== undefined && spec.concurrencyPolicy === 'Replace' ? active : [];
  return { start, replace, drop, next };
};
