import { Job } from '@perigee/api/kinds/groups/job';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { controllerOf } from '@perigee/api/values/owner-references';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { refOf } from '@perigee/kube/client/ref-of';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { OwnWrites } from '@perigee/kube/controller/own-writes';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { Pod } from '@perigee/kubernetes/core/pod';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { controlledBy, controllerIndex } from '../owned/controller-index.ts';
import { ownedPods } from '../owned/owned-pods.ts';
import { writeStatus } from '../status/write-status.ts';
import { decideJob, isOver } from './decide-job.ts';
import { countJobPods, volcanoJobStatus } from './job-phase.ts';
import { makeJobPodGroup } from './job-pod-group.ts';
import { groupNameFor, OUT_OF_SYNC } from './job-pods.ts';

const ensureGroup = async (
  job: Job,
  { client, cache }: ReconcileContext,
): Promise<PodGroup | undefined> => {
  const ref = { namespace: job.metadata.namespace ?? '', name: groupNameFor(job) };
  const group = cache(PodGroup).get(ref);
  const wantedGroup = makeJobPodGroup(job);
  if (group === undefined) {
    await ensure(client, PodGroup, wantedGroup);
    return undefined;
  }
  const spec = { ...group.spec, ...wantedGroup.spec };
  if (sameJson(spec, group.spec)) return group;
  return client.update(PodGroup, { ...group, spec });
};

const killPod = async (client: Client, pod: Pod): Promise<void> => {
  const { uid } = pod.metadata;
  const body = { metadata: { uid, annotations: { [OUT_OF_SYNC]: 'true' } } };
  const ref = refOf(pod);
  const marked = await client.patch(Pod, ref, { type: 'merge', body }).catch(ignoreNotFound);
  if (marked === undefined) return;
  await client.delete(Pod, ref, { preconditions: { uid } }).catch(ignoreNotFound);
};

const removeGroup = async (job: Job, { client, cache }: ReconcileContext): Promise<void> => {
  const ref = { namespace: job.metadata.namespace ?? '', name: groupNameFor(job) };
  if (cache(PodGroup).get(ref) === undefined) return;
  await client.delete(PodGroup, ref).catch(ignoreNotFound);
};

/** Deletes a finished job after its TTL. */
const expire = async (
  { metadata, spec, status }: Job,
  client: Client,
  now: number,
): Promise<ReconcileResult> => {
  const { ttlSecondsAfterFinished: seconds } = spec;
  const since = status?.state?.lastTransitionTime;
  if (seconds === undefined || since === undefined) return undefined;
  const remainingMs = parseTime(since) + seconds * 1000 - now;
  if (remainingMs > 0) return { requeueAfterMs: remainingMs };
  const { name, namespace = '', uid } = metadata;
  const options = { propagationPolicy: 'Background', preconditions: { uid } } as const;
  await client.delete(Job, { name, namespace }, options);
  return undefined;
};

const reconcile = async (
  job: Job,
  writes: OwnWrites<Job>,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { client, cache, clock, events } = context;
  const now = clock.now();
  const phase = job.status?.state?.phase;
  const group = isOver(phase) ? undefined : await ensureGroup(job, context);
  const groupPhase = group?.status?.phase;
  const isAdmitted = groupPhase !== undefined && groupPhase !== 'Pending';
  const pods = controlledBy(cache(Pod), job);
  const counts = countJobPods(pods);
  const decision = decideJob(job, pods, counts, isAdmitted, now);
  // The status is written first: a recorded restart is carried out, and counted once.
  const status = volcanoJobStatus(job, counts, decision, formatTime(now));
  const notedJob = await writeStatus(client, Job, job, status);
  writes.note(notedJob, cache(Job).get(job.metadata));
  if (phase !== decision.phase) {
    events.normal(notedJob, 'JobPhaseChanged', `The job is now ${decision.phase}`);
  }
  await Promise.all(decision.kill.map((pod) => killPod(client, pod)));
  // Names are derived from the job, so that a stale cache causes no duplicate.
  await Promise.all(decision.create.map((pod) => ensure(client, Pod, pod)));
  if (isOver(decision.phase)) {
    await removeGroup(notedJob, context);
    return expire(notedJob, client, now);
  }
  const { recheckAt } = decision;
  return recheckAt === undefined || recheckAt === 0
    ? undefined
    : { requeueAfterMs: Math.max(1, recheckAt - now) };
};

const jobOfGroup = (group: PodGroup) => {
  const { namespace = '' } = group.metadata;
  const owner = controllerOf(group);
  return owner?.kind === 'Job' && owner.apiVersion.startsWith('batch.volcano.sh/')
    ? [{ namespace, name: owner.name }]
    : [];
};

/** Runs Volcano jobs: pods by task in one PodGroup, with the actions of their policies. */
export const volcanoJobController = (): ControllerDefinition => {
  const writes = new OwnWrites<Job>();
  return defineController({
    name: 'volcano-job-controller',
    for: Job,
    concurrency: 8,
    indexes: [controllerIndex(Pod)],
    watches: [writes.seenBy(Job), ownedPods(Job), watch(PodGroup, { map: jobOfGroup })],
    reconcile: async (ref, context) => {
      const job = context.cache(Job).get(ref);
      if (job === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
      return writes.isStale(job) ? undefined : reconcile(job, writes, context);
    },
  });
};
