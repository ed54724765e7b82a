import { hasFinalizer } from '@perigee/api/values/finalizers';
import { controllerOf } from '@perigee/api/values/owner-references';
import { index } from '@perigee/kube/controller/cache-index';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { OwnWrites } from '@perigee/kube/controller/own-writes';
import { objectKey } from '@perigee/kube/informer/object-key';
import { isJobFinished, Job } from '@perigee/kubernetes/batch/job';
import { Pod } from '@perigee/kubernetes/core/pod';
import { adoptAndRelease } from '../owned/adopt-and-release.ts';
import { controlledByOrFree, controllerIndex } from '../owned/controller-index.ts';
import { EXPECTATIONS_EXPIRE_MS, Expectations } from '../owned/expectations.ts';
import { ownedPods } from '../owned/owned-pods.ts';
import { writeStatus } from '../status/write-status.ts';
import { countPods, type PodCount, TRACKING, withCounted, withUncounted } from './count-pods.ts';
import { jobStatus } from './job-status.ts';
import { deadlineOf, judgeJob } from './judge-job.ts';
import { managePods } from './manage-pods.ts';
import { ReleasedPods, releasePods } from './release-pods.ts';

interface Memory {
  readonly expectations: Expectations;
  readonly writes: OwnWrites<Job>;
  readonly releasedPods: ReleasedPods;
}

const BY_JOB = 'job';
/** As kube-controller-manager does: pods of a job often end together. */
const BATCH_MS = 1000;

const jobKeysOf = (pod: Pod): readonly string[] => {
  const owner = controllerOf(pod);
  if (owner?.kind !== 'Job' || !owner.apiVersion.startsWith('batch/')) return [];
  return [objectKey({ namespace: pod.metadata.namespace ?? '', name: owner.name })];
};

/** Records ended pods, removes their finalizers, and counts them: none is lost or counted twice. */
const settleCounts = async (
  job: Job,
  pods: readonly Pod[],
  count: PodCount,
  { releasedPods }: Memory,
  write: (job: Job, status: Job['status']) => Promise<Job>,
  { client }: ReconcileContext,
): Promise<Job> => {
  const { uid } = job.metadata;
  const announced = await write(job, withUncounted(job, count));
  await releasePods(client, count.release, (pod) => releasedPods.add(uid, pod.metadata.uid));
  const heldUids = new Set(
    pods
      .filter((pod) => hasFinalizer(pod, TRACKING) && !releasedPods.has(uid, pod.metadata.uid))
      .map(({ metadata }) => metadata.uid),
  );
  const status = withCounted(announced.status ?? {}, (pod) => heldUids.has(pod));
  return { ...announced, status };
};

const reportEnd = (job: Job, next: Job, { events }: ReconcileContext): void => {
  if (isJobFinished(job) || !isJobFinished(next)) return;
  const [condition] = (next.status?.conditions ?? []).filter(({ type }) => type === 'Failed');
  if (condition === undefined) events.normal(job, 'Completed', 'Job completed');
  else events.warning(job, condition.reason ?? 'Failed', condition.message ?? '');
};

const reconcile = async (
  job: Job,
  memory: Memory,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { client, cache, clock } = context;
  const { expectations, writes, releasedPods } = memory;
  const { uid } = job.metadata;
  const write = async (object: Job, status: Job['status']): Promise<Job> => {
    const writtenJob = await writeStatus(client, Job, object, status ?? {});
    writes.note(writtenJob, cache(Job).get(job.metadata));
    return writtenJob;
  };
  const candidates = controlledByOrFree(cache(Pod), job);
  const owner = { kind: Job, object: job };
  const selector = job.spec.selector ?? {};
  const pods = await adoptAndRelease(client, owner, selector, Pod, candidates);
  releasedPods.prune(uid, pods);
  const count = countPods(job, pods, (pod) => releasedPods.has(uid, pod.metadata.uid));
  const settledJob = await settleCounts(job, pods, count, memory, write, context);
  const now = clock.now();
  const end = judgeJob(settledJob, count, now);
  const isSettled = expectations.areMet(uid, clock.monotonic());
  const mayAct = isSettled && job.metadata.deletionTimestamp === undefined;
  const change = mayAct
    ? await managePods(settledJob, count, pods, end, expectations, context)
    : { active: count.active.length, recheckAt: undefined, problem: undefined };
  const { succeeded = [], failed = [] } = settledJob.status?.uncountedTerminatedPods ?? {};
  const status = jobStatus(
    settledJob,
    {
      count: { ...count, terminating: Math.max(count.terminating, change.removedCount ?? 0) },
      active: change.active,
      end,
      isCounted: succeeded.length + failed.length === 0,
    },
    now,
  );
  // Compares with the stored status: `settled` may hold changes that are only in memory.
  const storedJob = { ...settledJob, status: job.status ?? {} };
  const writtenJob = await write(storedJob, status);
  reportEnd(job, writtenJob, context);
  if (change.problem !== undefined) throw change.problem;
  const moments = [change.recheckAt, deadlineOf(writtenJob)].filter(
    (moment) => moment !== undefined && moment > now,
  ) as number[];
  if (moments.length > 0 && !isJobFinished(writtenJob)) {
    return { requeueAfterMs: Math.min(...moments) - now };
  }
  return isSettled ? undefined : { requeueAfterMs: EXPECTATIONS_EXPIRE_MS };
};

/** Runs Jobs to their end. */
export const jobController = (): ControllerDefinition => {
  const expectations = new Expectations();
  const memory: Memory = {
    expectations,
    writes: new OwnWrites<Job>(),
    releasedPods: new ReleasedPods(),
  };
  return defineController({
    name: 'job-controller',
    for: Job,
    concurrency: 8,
    indexes: [controllerIndex(Pod), index(Pod, BY_JOB, jobKeysOf)],
    watches: [memory.writes.seenBy(Job), ownedPods(Job, { expectations, batchMs: BATCH_MS })],
    reconcile: async (ref, context) => {
      const { cache, client } = context;
      const job = cache(Job).get(ref);
      if (job === undefined || isJobFinished(job)) {
        await releasePods(client, cache(Pod).byIndex(BY_JOB, objectKey(ref)));
        return undefined;
      }
      const { managedBy = 'kubernetes.io/job-controller' } = job.spec;
      if (managedBy !== 'kubernetes.io/job-controller' || memory.writes.isStale(job)) {
        return undefined;
      }
      return reconcile(job, memory, context);
    },
  });
};
