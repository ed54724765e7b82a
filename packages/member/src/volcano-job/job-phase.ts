import type { Job, JobStatus } from '@perigee/api/kinds/groups/job';
import { minAvailableOfJob, minAvailableOfTask } from '@perigee/api/kinds/groups/job-min-available';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { present } from '@perigee/schema/present';
import { isTerminating } from '../pods/pod-state.ts';
import { taskOf } from './job-pods.ts';

type Phase = NonNullable<NonNullable<JobStatus['state']>['phase']>;
type TaskCounts = { readonly [task: string]: { readonly phase: { [phase: string]: number } } };

export interface JobCounts {
  readonly pending: number;
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly terminating: number;
  readonly unknown: number;
  readonly taskStatusCount: TaskCounts;
}

export const countJobPods = (pods: readonly Pod[]): JobCounts => {
  const counts = { pending: 0, running: 0, succeeded: 0, failed: 0, terminating: 0, unknown: 0 };
  const taskStatusCount: { [task: string]: { phase: { [phase: string]: number } } } = {};
  for (const pod of pods) {
    if (isTerminating(pod)) {
      counts.terminating += 1;
      continue;
    }
    const phase = pod.status?.phase ?? 'Pending';
    counts[phase.toLowerCase() as Lowercase<typeof phase>] += 1;
    const task = taskStatusCount[taskOf(pod)] ?? { phase: {} };
    task.phase[phase] = (task.phase[phase] ?? 0) + 1;
    taskStatusCount[taskOf(pod)] = task;
  }
  return { ...counts, taskStatusCount };
};

const hasWorked = ({ spec }: Job, { succeeded, taskStatusCount }: JobCounts): boolean => {
  const { minSuccess, tasks } = spec;
  const minAvailable = minAvailableOfJob(spec);
  const sum = tasks.reduce((total, task) => total + minAvailableOfTask(task), 0);
  const lacks = tasks.some(({ name, minAvailable: least }) => {
    const succeededPods = taskStatusCount[name]?.phase.Succeeded;
    return least !== undefined && succeededPods !== undefined && succeededPods < least;
  });
  if (minAvailable >= sum && lacks) return false;
  return minSuccess !== undefined ? succeeded >= minSuccess : succeeded >= minAvailable;
};

/** The phase of a job in sync with its pods. */
export const phaseAfterSync = (job: Job, counts: JobCounts): Phase => {
  const { spec, status } = job;
  const { pending, running, succeeded, failed } = counts;
  const phase: Phase = status?.state?.phase ?? 'Pending';
  const minAvailable = minAvailableOfJob(spec);
  const total = spec.tasks.reduce((sum, { replicas }) => sum + replicas, 0);
  if (phase === 'Pending') {
    return total > 0 && running + succeeded + failed >= minAvailable ? 'Running' : 'Pending';
  }
  if (phase !== 'Running' || total === 0) return phase;
  if (spec.minSuccess !== undefined && succeeded >= spec.minSuccess) return 'Completed';
  if (succeeded + failed === total) return hasWorked(job, counts) ? 'Completed' : 'Failed';
  return pending > total - minAvailable ? 'Pending' : 'Running';
};

/** The status of a job: counts, and a condition for each phase that it reached. */
export const volcanoJobStatus = (
  job: Job,
  counts: JobCounts,
  { phase, version, retryCount }: Pick<JobStatus, 'version' | 'retryCount'> & { phase: Phase },
  time: string,
): JobStatus => {
  const { status = {} } = job;
  const hasChanged = status.state?.phase !== phase;
  return {
    ...status,
    ...counts,
    minAvailable: minAvailableOfJob(job.spec),
    ...present({ version, retryCount }),
    ...(hasChanged
      ? {
          state: { phase, lastTransitionTime: time },
          conditions: [...(status.conditions ?? []), { status: phase, lastTransitionTime: time }],
        }
      : {}),
  };
};
