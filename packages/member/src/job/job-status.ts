import type { WorkloadCondition } from '@perigee/kubernetes/apps/workload-condition';
import { isJobFinished, type Job, type JobStatus } from '@perigee/kubernetes/batch/job';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { conditionOf, withoutCondition } from '../status/workload-conditions.ts';
import type { PodCount } from './count-pods.ts';
import type { JobEnd } from './judge-job.ts';

type Conditions = readonly WorkloadCondition[];

const withJobCondition = (
  conditions: Conditions,
  update: Required<Pick<WorkloadCondition, 'type' | 'status' | 'reason' | 'message'>>,
  time: string,
): Conditions => {
  const old = conditionOf(conditions, update.type);
  if (old?.status === update.status) return conditions;
  return [
    ...withoutCondition(conditions, update.type),
    { ...update, lastProbeTime: time, lastTransitionTime: time },
  ];
};

const withSuspension = (
  { spec }: Job,
  conditions: Conditions,
  time: string,
): { readonly conditions: Conditions; readonly hasResumed: boolean } => {
  const isSuspended = conditionOf(conditions, 'Suspended')?.status === 'True';
  if (spec.suspend === true) {
    const update = { reason: 'JobSuspended', message: 'Job suspended' };
    return {
      conditions: withJobCondition(
        conditions,
        { type: 'Suspended', status: 'True', ...update },
        time,
      ),
      hasResumed: false,
    };
  }
  if (!isSuspended) return { conditions, hasResumed: false };
  const update = { reason: 'JobResumed', message: 'Job resumed' };
  return {
    conditions: withJobCondition(
      conditions,
      { type: 'Suspended', status: 'False', ...update },
      time,
    ),
    hasResumed: true,
  };
};

const withEnd = (
  conditions: Conditions,
  { result, reason, message }: JobEnd,
  isOver: boolean,
  time: string,
): Conditions => {
  const type = result === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const announced = withJobCondition(conditions, { type, status: 'True', reason, message }, time);
  if (!isOver) return announced;
  return withJobCondition(announced, { type: result, status: 'True', reason, message }, time);
};

export interface JobProgress {
  readonly count: Pick<PodCount, 'ready' | 'terminating'>;
  /** Number of running pods, after those just created and deleted. */
  readonly active: number;
  readonly end: JobEnd | undefined;
  /** True when every ended pod is counted. */
  readonly isCounted: boolean;
}

/**
 * The next status of a job: the counts, and its conditions Suspended, FailureTarget, SuccessCriteriaMet, Complete and
 * Failed.
 */
export const jobStatus = (job: Job, progress: JobProgress, now: number): JobStatus => {
  const { status: before = {} } = job;
  const { count, active, end, isCounted } = progress;
  const time = formatTime(now);
  if (isJobFinished(job)) return before;
  const isOver = end !== undefined && active === 0 && count.terminating === 0 && isCounted;
  const suspension =
    end === undefined
      ? withSuspension(job, before.conditions ?? [], time)
      : { conditions: before.conditions ?? [], hasResumed: false };
  const conditions =
    end === undefined ? suspension.conditions : withEnd(suspension.conditions, end, isOver, time);
  const begins = before.startTime === undefined && job.spec.suspend !== true;
  return {
    ...before,
    ...present({ startTime: begins || suspension.hasResumed ? time : undefined }),
    active,
    ready: isOver ? 0 : count.ready,
    terminating: count.terminating,
    ...present({
      conditions: unlessEmpty(conditions),
      completionTime: isOver && end.result === 'Complete' ? time : undefined,
    }),
  };
};
