import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { sameJson } from '@perigee/api/schema/validate/same-json';
import { findCondition, isConditionTrue } from '@perigee/api/values/conditions';
import type { ObjectRef } from '@perigee/kube/client/client';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import type { Clock } from '@perigee/kube/clock/clock';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { clusterChange } from '@perigee/scheduling/placement/scheduler/cluster-change';
import { heldWord, saysTheSame } from '@perigee/scheduling/queues/held-message';
import { isInLine, QUEUED, queuedWorkOf } from '@perigee/scheduling/queues/queue-marks';
import { queueStatusOf } from '@perigee/scheduling/queues/queue-status-of';
import { releasePatch, takeBackAt, takeBackPatch } from '@perigee/scheduling/queues/release-work';
import { ensureDefaultQueues } from './default-queues.ts';
import { dispatchIndexes, inQueue, ofClass, ofNamespace, whole } from './dispatch-indexes.ts';
import {
  ANYWHERE,
  CLUSTER_REF,
  Dispatcher,
  GOES_ON,
  QUEUE_REF,
  RECLAIM,
  SAID,
} from './dispatcher.ts';
import { Pace } from './pace.ts';
import { Preemption } from './preemption.ts';
import { reportHeld } from './report-held.ts';

const FIELD_MANAGER = 'perigee-dispatcher';

/** Work that is let through sooner costs no write that says why it was held. */
const REPORT_AFTER_MS = 1000;

/** How long a scheduler may take to find a place for work that was let through. */
const PLACED_WITHIN_MS = 30_000;

/** How often reasons are looked at again, and how many at a time: no more writes than these, however long the lines. */
const LOOK_EVERY_MS = 10_000;
const MOST_LOOKED_AT = 100;

/** However much waits: no more than 200 reasons are written in a second. */
const REPORT_GAP_MS = 5;

/** How often the status of a queue is written at most, and how far apart those of all queues. */
const STATUS_EVERY_MS = 1000;
const STATUS_GAP_MS = 10;

const isQueued = (binding: ResourceBinding | undefined): boolean =>
  binding?.metadata.annotations?.[QUEUED] !== undefined;

const scheduledOf = (binding: ResourceBinding | undefined): string | undefined =>
  findCondition(binding?.status?.conditions, 'Scheduled')?.status;

/** Whether a change of a binding can matter to its queue. */
const isQueueNews = (
  now: ResourceBinding | undefined,
  before: ResourceBinding | undefined,
): boolean => {
  if (!isQueued(now) && !isQueued(before)) return false;
  return (
    now?.metadata.generation !== before?.metadata.generation ||
    now?.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
    !sameJson(now?.metadata.annotations, before?.metadata.annotations) ||
    scheduledOf(now) !== scheduledOf(before) ||
    !sameJson(now?.status?.aggregatedStatus, before?.status?.aggregatedStatus)
  );
};

const isReady = (cluster: MemberCluster | undefined): boolean =>
  isConditionTrue(cluster?.status?.conditions, 'Ready');

const isClusterNews = (now: MemberCluster | undefined, before: MemberCluster | undefined) =>
  clusterChange(now, before) !== 'none' || isReady(now) !== isReady(before);

const mayFitElsewhere = (now: MemberCluster | undefined, before: MemberCluster | undefined) =>
  clusterChange(now, before) === 'fit' || isReady(now) !== isReady(before);

const refTo =
  (namespace: string) =>
  ({ metadata: { name } }: { readonly metadata: { readonly name: string } }) => [
    { namespace, name },
  ];

export interface DispatcherOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Whether running work may be taken back for work whose queue has less than it deserves; not unless given. */
  readonly isPreempting?: boolean;
  /** After which time small work does not pass the first of a queue any more; five minutes unless given. */
  readonly reserveAfterMs?: number;
}

/** Lets work through that its queues hold, in their order, and says of the rest why it waits. */
export const dispatcherController = ({
  clock,
  isPreempting = false,
  reserveAfterMs,
}: DispatcherOptions): ControllerDefinition => {
  const dispatcher = new Dispatcher(clock, reserveAfterMs);
  const preemption = isPreempting ? new Preemption(dispatcher) : undefined;
  const written = new WeakSet<object>();
  /** What was last said of work that waits. */
  const said = new Map<string, string>();
  const reports = new Pace(REPORT_GAP_MS);
  const statuses = new Pace(STATUS_GAP_MS);
  const statusAt = new Map<string, number>();
  let areThere: Promise<void> | undefined;

  const release = async (binding: ResourceBinding, ref: ObjectRef, context: ReconcileContext) => {
    const { cache, client, signal } = context;
    const grant = dispatcher.state(cache).grantOf(objectKey(ref));
    if (grant === undefined || written.has(grant)) return;
    const patch = { type: 'merge', body: releasePatch(binding, grant) } as const;
    await client.patch(ResourceBinding, ref, patch, { fieldManager: FIELD_MANAGER, signal });
    written.add(grant);
  };

  const report = async (
    binding: ResourceBinding,
    ref: ObjectRef,
    context: ReconcileContext,
  ): Promise<ReconcileResult> => {
    const { cache, clock } = context;
    const key = objectKey(ref);
    const verdict = dispatcher.state(cache).verdictOf(key);
    const work = queuedWorkOf(binding.metadata);
    if (verdict === undefined || work === undefined) return undefined;
    const now = clock.now();
    const known = findCondition(binding.status?.conditions, 'Admitted');
    const word = heldWord(verdict, work.queue, now);
    if (word === undefined || said.get(key) === word.essence) return undefined;
    // Why it went back to its queue is worth more than that it waits there.
    const isTold = known?.reason === 'Preempted' && word.reason.startsWith('Waiting');
    // What an earlier dispatcher said may still hold.
    const isSaid =
      isTold || (known?.reason === word.reason && saysTheSame(known.message, word.message));
    if (!isSaid) {
      const restMs = reports.restMs(key, now, Math.max(now, work.since + REPORT_AFTER_MS));
      if (restMs > 0) return { requeueAfterMs: restMs };
      await reportHeld(binding, word, context);
    }
    said.set(key, word.essence);
    return undefined;
  };

  /** The reasons of work far back in a line change without an event of its own: some of it is looked at in turn. */
  const lookAtSaid = (): ReconcileResult => {
    for (const [key, essence] of [...said.entries().take(MOST_LOOKED_AT)]) {
      said.delete(key);
      said.set(key, essence);
      dispatcher.lookAgain(key);
    }
    return { requeueAfterMs: LOOK_EVERY_MS };
  };

  const lookAtAll = ({ name }: ObjectRef, context: ReconcileContext): ReconcileResult => {
    if (name === SAID.name) return lookAtSaid();
    return name === RECLAIM.name ? preemption?.look(context) : undefined;
  };

  /** Work that was let through and then found no place does not keep what others could use. */
  const takeBack = async (
    binding: ResourceBinding,
    ref: ObjectRef,
    { client, clock, signal }: ReconcileContext,
  ): Promise<ReconcileResult> => {
    const dueAt = takeBackAt(binding, PLACED_WITHIN_MS);
    if (dueAt === undefined) return undefined;
    if (dueAt > clock.now()) return { requeueAfterMs: dueAt - clock.now() };
    const patch = { type: 'merge', body: takeBackPatch(binding) } as const;
    await client.patch(ResourceBinding, ref, patch, { fieldManager: FIELD_MANAGER, signal });
    return undefined;
  };

  const tellQueue = async (
    { name }: ObjectRef,
    { cache, client, clock, signal }: ReconcileContext,
  ): Promise<ReconcileResult> => {
    const queue = cache(Queue).get({ name });
    if (queue === undefined) {
      statusAt.delete(name);
      return undefined;
    }
    const state = dispatcher.state(cache);
    const status = queueStatusOf(queue, state.countsOf(name), state.usedBy(name));
    if (sameJson(status, queue.status)) return undefined;
    const now = clock.now();
    const restMs = statuses.restMs(name, now, (statusAt.get(name) ?? 0) + STATUS_EVERY_MS);
    if (restMs > 0) return { requeueAfterMs: restMs };
    statusAt.set(name, now);
    await replaceStatus(client, Queue, queue, status, { fieldManager: FIELD_MANAGER, signal });
    return undefined;
  };

  return defineController({
    name: 'dispatcher',
    concurrency: 128,
    watches: [
      dispatcher,
      watch(ResourceBinding, { when: isQueueNews, resync: true }),
      watch(Queue, { map: refTo(QUEUE_REF), resync: true }),
      watch(Queue, {
        atStart: false,
        when: (now, before) =>
          !sameJson(now?.metadata.annotations, before?.metadata.annotations) ||
          now?.spec.parent !== before?.spec.parent,
        map: ({ metadata }, cache) => inQueue(cache, metadata.name),
      }),
      watch(MemberCluster, { when: isClusterNews, map: refTo(CLUSTER_REF) }),
      watch(ClusterRoom, {
        atStart: false,
        when: (now, before) => !sameJson(now?.spec.pools, before?.spec.pools),
        map: refTo(CLUSTER_REF),
      }),
      watch(MemberCluster, {
        atStart: false,
        when: mayFitElsewhere,
        map: (_, cache) => [...whole(cache), ANYWHERE],
      }),
      watch(PriorityClass, {
        atStart: false,
        map: ({ metadata, globalDefault }, cache) => [
          ...ofClass(cache, metadata.name),
          ...(globalDefault ? ofClass(cache, '') : []),
        ],
      }),
      watch(Namespace, {
        atStart: false,
        when: (now, before) => !sameJson(now?.metadata.labels, before?.metadata.labels),
        map: ({ metadata }, cache) => ofNamespace(cache, metadata.name),
      }),
    ],
    indexes: dispatchIndexes,
    async reconcile(ref, context) {
      const { cache, client } = context;
      areThere ??= ensureDefaultQueues(client).catch((error: unknown) => {
        areThere = undefined;
        throw error;
      });
      await areThere;
      if (ref.namespace === QUEUE_REF) dispatcher.followQueue(ref, cache);
      else if (ref.namespace === CLUSTER_REF) dispatcher.followCluster(ref, cache);
      else if (ref.namespace === ANYWHERE.namespace) dispatcher.lookAnywhere(cache);
      else if (ref.namespace !== GOES_ON.namespace) dispatcher.followBinding(ref, cache);
      dispatcher.dispatch(cache);
      if (ref.namespace === QUEUE_REF) return tellQueue(ref, context);
      const binding = cache(ResourceBinding).get(ref);
      if (ref.namespace === SAID.namespace) return lookAtAll(ref, context);
      if (binding === undefined || !isInLine(binding.metadata)) {
        said.delete(objectKey(ref));
        reports.forget(objectKey(ref));
        if (binding === undefined) return undefined;
        await preemption?.take(binding, ref, context);
        return takeBack(binding, ref, context);
      }
      await release(binding, ref, context).catch(ignoreNotFound);
      return report(binding, ref, context);
    },
  });
};
