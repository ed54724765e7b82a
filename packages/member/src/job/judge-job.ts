import type { Job, JobSpec } from '@perigee/kubernetes/batch/job';
import { parseTime } from '@perigee/schema/values/time';
import { restartsOf } from '../pods/pod-state.ts';
import { conditionOf } from '../status/workload-conditions.ts';
import { countAmong } from './completion-indexes.ts';
import type { PodCount } from './count-pods.ts';

/** The outcome of a job. */
export interface JobEnd {
  readonly result: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const failedEnd = (reason: string, message: string): JobEnd => ({
  result: 'Failed',
  reason,
  message,
});

const complete = (reason: string, message: string): JobEnd => ({
  result: 'Complete',
  reason,
  message,
});

const isPastBackoffLimit = (
  { backoffLimit = 6, template }: JobSpec,
  { failed: failures, active }: PodCount,
): boolean => {
  if (failures > backoffLimit) return true;
  if (template.spec.restartPolicy !== 'OnFailure') return false;
  const restarts = active.reduce((sum, pod) => sum + restartsOf(pod), 0);
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
};

/** The time of activeDeadlineSeconds; undefined without one, or while the job is suspended. */
export const deadlineOf = ({ spec, status }: Job): number | undefined => {
  const { activeDeadlineSeconds: seconds, suspend } = spec;
  if (seconds === undefined || suspend || status?.startTime === undefined) return undefined;
  return parseTime(status.startTime) + seconds * 1000;
};

const bySuccessPolicy = (
  { successPolicy }: JobSpec,
  { completedIndexes }: PodCount,
): JobEnd | undefined => {
  for (const [place, rule] of (successPolicy?.rules ?? []).entries()) {
    const { succeededIndexes, succeededCount } = rule;
    const { size } = completedIndexes;
    const { all, among } =
      succeededIndexes === undefined
        ? { all: size, among: size }
        : countAmong(succeededIndexes, completedIndexes);
    if (among >= (succeededCount ?? all) && all > 0) {
      return complete('SuccessPolicy', `Matched rules at index ${place}`);
    }
  }
  return undefined;
};

/** An outcome in the status that waits for the last pods to end. */
const decided = ({ status }: Job): JobEnd | undefined => {
  const failure = conditionOf(status?.conditions, 'FailureTarget');
  if (failure?.status === 'True') return failedEnd(failure.reason ?? '', failure.message ?? '');
  const success = conditionOf(status?.conditions, 'SuccessCriteriaMet');
  if (success?.status === 'True') return complete(success.reason ?? '', success.message ?? '');
  return undefined;
};

const isDone = ({ completions }: JobSpec, { succeeded, active }: PodCount): boolean =>
  completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= completions;

/** The outcome of the job, once it is certain. */
export const judgeJob = (job: Job, count: PodCount, now: number): JobEnd | undefined => {
  const { spec } = job;
  const before = decided(job);
  if (before !== undefined) return before;
  if (count.verdict !== undefined) return failedEnd('PodFailurePolicy', count.verdict);
  if (isPastBackoffLimit(spec, count)) {
    return failedEnd('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const deadline = deadlineOf(job);
  if (deadline !== undefined && now >= deadline) {
    return failedEnd('DeadlineExceeded', 'Job was active longer than specified deadline');
  }
  const early = bySuccessPolicy(spec, count);
  if (early !== undefined) return early;
  if (spec.suspend || !isDone(spec, count)) return undefined;
  return complete('CompletionsReached', 'Reached expected number of succeeded pods');
};

/** Number of pods that should run now. */
export const wantedActive = ({ spec }: Job, { succeeded, active }: PodCount): number => {
  const { completions, parallelism = 1, suspend } = spec;
  if (suspend) return 0;
  if (completions === undefined) {
    return succeeded > 0 ? Math.min(active.length, parallelism) : parallelism;
  }
  return Math.max(0, Math.min(completions - succeeded, parallelism));
};
