import { hasFinalizer } from '@perigee/api/values/finalizers';
import type { Job, JobSpec, JobStatus } from '@perigee/kubernetes/batch/job';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { present, unlessEmpty } from '@perigee/schema/present';
import { isActive, isFinished, isPodReady, isTerminating } from '../pods/pod-state.ts';
import { formatIndexes, indexOf, parseIndexes } from './completion-indexes.ts';
import { judgeFailure } from './pod-failure-policy.ts';

export const TRACKING = 'batch.kubernetes.io/job-tracking';

export const isIndexed = ({ completionMode }: JobSpec): boolean => completionMode === 'Indexed';

/** A terminating pod counts as failed at once, unless podReplacementPolicy is Failed. */
const hasFailed = ({ podReplacementPolicy }: JobSpec, pod: Pod): boolean =>
  pod.status?.phase === 'Failed' ||
  (podReplacementPolicy !== 'Failed' && isTerminating(pod) && pod.status?.phase !== 'Succeeded');

/** New results of the pods of a job, on top of its status. */
export interface PodCount {
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  /** Includes those that are not in the status yet. */
  readonly succeeded: number;
  readonly failed: number;
  readonly completedIndexes: ReadonlySet<number>;
  /** Ended pods whose finalizer can go once they are in the status. */
  readonly release: readonly Pod[];
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** Message of the pod failure policy that fails the job. */
  readonly verdict: string | undefined;
}

interface Sorted {
  readonly succeeded: Pod[];
  readonly failed: Pod[];
  readonly release: Pod[];
  verdict: string | undefined;
}

const sortEnded = (job: Job, endedPods: readonly Pod[]): Sorted => {
  const { uncountedTerminatedPods: uncounted = {} } = job.status ?? {};
  const sortedPods: Sorted = { succeeded: [], failed: [], release: [], verdict: undefined };
  for (const pod of endedPods) {
    const { uid } = pod.metadata;
    sortedPods.release.push(pod);
    if (pod.status?.phase === 'Succeeded') {
      if (!uncounted.succeeded?.includes(uid)) sortedPods.succeeded.push(pod);
      continue;
    }
    const { action, message } = judgeFailure(job.spec, pod);
    if (action === 'FailJob') sortedPods.verdict ??= message;
    if (action !== 'Ignore' && !uncounted.failed?.includes(uid)) sortedPods.failed.push(pod);
  }
  return sortedPods;
};

/** Counts pods. `isReleased` is true for those counted before, although the cache does not show it yet. */
export const countPods = (
  job: Job,
  pods: readonly Pod[],
  isReleased: (pod: Pod) => boolean,
): PodCount => {
  const { spec, status = {} } = job;
  const tracked = pods.filter((pod) => hasFinalizer(pod, TRACKING) && !isReleased(pod));
  const endedPods = tracked.filter(
    (pod) => pod.status?.phase === 'Succeeded' || hasFailed(spec, pod),
  );
  const { succeeded, failed, release, verdict } = sortEnded(job, endedPods);
  const { uncountedTerminatedPods: uncounted = {} } = status;
  const completedIndexes = new Set(parseIndexes(status.completedIndexes));
  if (isIndexed(spec)) {
    for (const pod of succeeded) {
      const index = indexOf(pod, spec.completions ?? 0);
      if (index !== undefined) completedIndexes.add(index);
    }
  }
  const succeededCount =
    (status.succeeded ?? 0) + (uncounted.succeeded?.length ?? 0) + succeeded.length;
  const active = pods.filter(isActive);
  return {
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
    succeeded: isIndexed(spec) ? completedIndexes.size : succeededCount,
    failed: (status.failed ?? 0) + (uncounted.failed?.length ?? 0) + failed.length,
    completedIndexes,
    release,
    // completedIndexes in the status keeps pods from being counted twice.
    newlySucceeded: isIndexed(spec) ? [] : succeeded,
    newlyFailed: failed,
    verdict,
  };
};

const uidsOf = (before: readonly string[] | undefined, pods: readonly Pod[]): readonly string[] => [
  ...(before ?? []),
  ...pods.map(({ metadata }) => metadata.uid),
];

/** The status with uncountedTerminatedPods: it is written before the finalizers are removed. */
export const withUncounted = ({ spec, status = {} }: Job, count: PodCount): JobStatus => {
  const { uncountedTerminatedPods: uncounted = {} } = status;
  return {
    ...status,
    ...(isIndexed(spec)
      ? {
          succeeded: count.completedIndexes.size,
          ...present({ completedIndexes: unlessEmpty(formatIndexes(count.completedIndexes)) }),
        }
      : {}),
    uncountedTerminatedPods: {
      succeeded: uidsOf(uncounted.succeeded, count.newlySucceeded),
      failed: uidsOf(uncounted.failed, count.newlyFailed),
    },
  };
};

/** Moves pods without a finalizer from uncountedTerminatedPods to the counts. */
export const withCounted = (status: JobStatus, isHeld: (uid: string) => boolean): JobStatus => {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const [heldSucceeded, heldFailed] = [succeeded.filter(isHeld), failed.filter(isHeld)];
  return {
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - heldSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - heldFailed.length,
    uncountedTerminatedPods: present({
      succeeded: unlessEmpty(heldSucceeded),
      failed: unlessEmpty(heldFailed),
    }),
  };
};
