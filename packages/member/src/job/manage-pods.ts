import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import type { Job } from '@perigee/kubernetes/batch/job';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { parseTime } from '@perigee/schema/values/time';
import type { Expectations } from '../owned/expectations.ts';
import { createPods, deletePods } from '../pods/change-pods.ts';
import { isFinished, isTerminating } from '../pods/pod-state.ts';
import { rankForDeletion } from '../pods/rank-for-deletion.ts';
import type { PodCount } from './count-pods.ts';
import { needlessPods, newJobPods } from './job-pods.ts';
import { type JobEnd, wantedActive } from './judge-job.ts';

const FIRST_MS = 10_000;
const LONGEST_MS = 600_000;

const endOf = ({ metadata, status }: Pod): number => {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) =>
    state?.terminated?.finishedAt === undefined ? [] : [parseTime(state.terminated.finishedAt)],
  );
  const fallbackTime = metadata.deletionTimestamp ?? metadata.creationTimestamp;
  return ends.length === 0 ? parseTime(fallbackTime) : Math.max(...ends);
};

/** End of the back-off: no replacement for failed pods starts before it. */
const nextPodAt = (pods: readonly Pod[]): number => {
  const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded').map(endOf);
  const lastSuccess = Math.max(Number.NEGATIVE_INFINITY, ...succeeded);
  const failures = pods
    .filter(({ status }) => status?.phase === 'Failed')
    .map(endOf)
    .filter((end) => end > lastSuccess);
  if (failures.length === 0) return Number.NEGATIVE_INFINITY;
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures.length - 1));
  return Math.max(...failures) + wait;
};

/** Most pods to create or delete in one reconcile. */
const BURST = 500;

export interface PodChange {
  readonly active: number;
  readonly removedCount?: number;
  /** The next time at which pods may be created without any event. */
  readonly recheckAt: number | undefined;
  readonly problem: Error | undefined;
}

/** Creates the missing pods of a job, or deletes redundant ones. */
export const managePods = async (
  job: Job,
  count: PodCount,
  pods: readonly Pod[],
  end: JobEnd | undefined,
  expectations: Expectations,
  context: Pick<ReconcileContext, 'client' | 'clock' | 'events'>,
): Promise<PodChange> => {
  const now = context.clock.now();
  const wantedPods = end === undefined ? wantedActive(job, count) : 0;
  const needless = needlessPods(job, count);
  const useful = count.active.filter((pod) => !needless.includes(pod));
  const ranked = rankForDeletion(useful, useful, now);
  const surplus = ranked.slice(0, Math.max(0, useful.length - wantedPods));
  const remove = [...needless, ...surplus].slice(0, BURST);
  const problem = await deletePods(job, remove, expectations, context);
  const keptPods = count.active.length - remove.length;
  const ending =
    job.spec.podReplacementPolicy === 'Failed'
      ? pods.filter((pod) => isTerminating(pod) && !isFinished(pod))
      : [];
  const shortage = Math.min(BURST, wantedPods - keptPods - ending.length);
  if (shortage <= 0 || problem !== undefined) {
    return { active: keptPods, removedCount: remove.length, recheckAt: undefined, problem };
  }
  const notBefore = nextPodAt(pods);
  if (now < notBefore) return { active: keptPods, recheckAt: notBefore, problem };
  const newPods = newJobPods(job, count, ending, shortage);
  const failure = await createPods(job, newPods, expectations, context);
  const active = failure === undefined ? keptPods + newPods.length : keptPods;
  return { active, removedCount: remove.length, recheckAt: undefined, problem: failure };
};
