import type { Job, JobStatus } from '@perigee/api/kinds/groups/job';
import { minAvailableOfJob } from '@perigee/api/kinds/groups/job-min-available';
import type { Pod, PodWritten } from '@perigee/kubernetes/core/pod';
import { isFinished, isTerminating } from '../pods/pod-state.ts';
import { type DueAction, dueAction, type JobAction } from './job-events.ts';
import { type JobCounts, phaseAfterSync } from './job-phase.ts';
import {
  indexOf,
  makeTaskPod,
  mayStart,
  partitionOf,
  podNameFor,
  taskOf,
  versionOf,
} from './job-pods.ts';

type Phase = NonNullable<NonNullable<JobStatus['state']>['phase']>;

/** Pods to create and delete for a job, and its next status. */
export interface JobDecision {
  readonly create: readonly PodWritten[];
  readonly kill: readonly Pod[];
  readonly phase: Phase;
  readonly version: number;
  readonly retryCount: number;
  /** The next time at which the timeout of a policy expires. */
  readonly recheckAt: number | undefined;
}

const ENDS: { readonly [phase: string]: Phase } = {
  Completing: 'Completed',
  Aborting: 'Aborted',
  Terminating: 'Terminated',
};

export const isOver = (phase: string | undefined): boolean =>
  phase === 'Completed' || phase === 'Failed' || phase === 'Terminated' || phase === 'Aborted';

const TARGETED: ReadonlySet<JobAction> = new Set(['RestartTask', 'RestartPod', 'RestartPartition']);

const PHASE_OF: { readonly [action: string]: Phase } = {
  RestartJob: 'Restarting',
  AbortJob: 'Aborting',
  TerminateJob: 'Terminating',
  CompleteJob: 'Completing',
};

const targetsOf = ({ action, task, pod }: DueAction, pods: readonly Pod[]): readonly Pod[] => {
  if (pod === undefined || action === 'RestartTask') {
    return pods.filter((other) => taskOf(other) === task);
  }
  if (action === 'RestartPod') return [pod];
  const partition = partitionOf(pod);
  return pods.filter((other) => taskOf(other) === task && partitionOf(other) === partition);
};

const alive = (pods: readonly Pod[]): readonly Pod[] => pods.filter((pod) => !isFinished(pod));
const standing = (pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => !isTerminating(pod));

/** Most pods to create at a time; there may be two billion to come. */
const BURST = 500;

const isWanted = (job: Job, pod: Pod): boolean => {
  const task = job.spec.tasks.find(({ name }) => name === taskOf(pod));
  const index = indexOf(pod);
  return (
    task !== undefined &&
    index < task.replicas &&
    pod.metadata.name === podNameFor(job, task.name, index)
  );
};

/** Creates missing pods that may start, and deletes surplus ones and those of before a restart. */
const sync = (job: Job, pods: readonly Pod[], counts: JobCounts, isAdmitted: boolean) => {
  const names = new Set(pods.map(({ metadata }) => metadata.name));
  const create: PodWritten[] = [];
  for (const task of job.spec.tasks) {
    if (!isAdmitted || !mayStart(job, task, pods)) continue;
    for (let index = 0; index < task.replicas && create.length < BURST; index++) {
      if (names.has(podNameFor(job, task.name, index))) continue;
      create.push(makeTaskPod(job, task, index));
    }
  }
  const { version = 0 } = job.status ?? {};
  const kill = standing(pods).filter((pod) => !isWanted(job, pod) || versionOf(pod) < version);
  return { create, kill, phase: phaseAfterSync(job, counts) };
};

const act = (job: Job, due: DueAction, pods: readonly Pod[]): Omit<JobDecision, 'recheckAt'> => {
  const { version = 0, retryCount = 0 } = job.status ?? {};
  const restarts = retryCount + 1;
  if (TARGETED.has(due.action)) {
    const kill = standing(targetsOf(due, pods));
    return { create: [], kill, phase: 'Restarting', version, retryCount: restarts };
  }
  const phase = PHASE_OF[due.action] ?? 'Restarting';
  const isRestart = phase === 'Restarting';
  // Pods of the last try stay for inspection.
  const isLast = retryCount >= job.spec.maxRetry - 1;
  const kill = standing(isRestart && !isLast ? pods : alive(pods));
  return {
    create: [],
    kill,
    phase,
    version: version + 1,
    retryCount: isRestart ? restarts : retryCount,
  };
};

/** Decides from the state of the pods alone; pods that a policy was applied to have an older version. */
export const decideJob = (
  job: Job,
  pods: readonly Pod[],
  counts: JobCounts,
  isAdmitted: boolean,
  now: number,
): JobDecision => {
  const { status } = job;
  const { version = 0, retryCount = 0 } = status ?? {};
  const phase: Phase = status?.state?.phase ?? 'Pending';
  const same = { version, retryCount, recheckAt: undefined };
  if (isOver(phase)) return { ...same, create: [], kill: standing(alive(pods)), phase };
  const end = ENDS[phase];
  if (end !== undefined) {
    const isDone = counts.terminating + counts.pending + counts.running === 0;
    const kill = standing(alive(pods));
    return { ...same, create: [], kill, phase: isDone ? end : phase };
  }
  if (phase === 'Restarting') {
    if (retryCount >= job.spec.maxRetry) return { ...same, create: [], kill: [], phase: 'Failed' };
    const total = job.spec.tasks.reduce((sum, { replicas }) => sum + replicas, 0);
    const isBack = total - counts.terminating >= minAvailableOfJob(job.spec);
    const { create, kill } = sync(job, pods, counts, isAdmitted);
    return { ...same, create, kill, phase: isBack ? 'Pending' : phase };
  }
  const current = pods.filter((pod) => versionOf(pod) >= version);
  const due = dueAction(job, current);
  if (due !== undefined && due.at <= now && due.action !== 'ResumeJob') {
    return { ...act(job, due, current), recheckAt: undefined };
  }
  return { ...same, ...sync(job, pods, counts, isAdmitted), recheckAt: due?.at };
};
