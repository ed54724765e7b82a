import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { findCondition, isConditionTrue } from '@perigee/api/values/conditions';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { objectKey } from '@perigee/kube/informer/object-key';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { PriorityClass } from '@perigee/kubernetes/scheduling/priority-class';
import { isInLine, QUEUED, queuedWorkOf } from '@perigee/scheduling/placement/binding/queue-marks';
import { clusterChange } from '@perigee/scheduling/placement/scheduler/cluster-change';
import { releasePatch, takeBackAt, takeBackPatch } from '@perigee/scheduling/queues/release-work';
import { sameJson } from '@perigee/schema/same-json';
import { ensureDefaultQueues } from './default-queues.ts';
import {
  dispatchIndexes,
  inQueueOrBelow,
  ofClass,
  ofNamespace,
  whole,
} from './dispatch-indexes.ts';
import { Dispatcher } from './dispatcher.ts';
import {
  ANYWHERE,
  CLUSTER_REF,
  GOES_ON,
  QUEUE_REF,
  RECLAIM,
  REPORT,
  REPORTS,
} from './dispatcher-refs.ts';
import { HeldReports } from './held-reports.ts';
import { Preemption } from './preemption.ts';
import { QueueStatuses } from './queue-statuses.ts';

const FIELD_MANAGER = 'perigee-dispatcher';

/** Deadline of a scheduler for placing admitted work. */
const PLACED_WITHIN_MS = 30_000;

const isQueued = (binding: ResourceBinding | undefined): boolean =>
  binding?.metadata.annotations?.[QUEUED] !== undefined;

const scheduledOf = (binding: ResourceBinding | undefined): string | undefined =>
  findCondition(binding?.status?.conditions, 'Scheduled')?.status;

/** True if a change of a binding can affect its queue. */
const isQueueChange = (
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

const isClusterChange = (now: MemberCluster | undefined, before: MemberCluster | undefined) =>
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
  /** True if running work may be reclaimed for work whose queue has less than it deserves; off by default. */
  readonly isPreempting?: boolean;
  /** The wait of the first in a queue after which smaller work may not pass it; five minutes by default. */
  readonly reserveAfterMs?: number;
}

/** Admits the work that queues hold, in their order, and reports the reasons of waiting work. */
export const dispatcherController = ({
  clock,
  isPreempting = false,
  reserveAfterMs,
}: DispatcherOptions): ControllerDefinition => {
  const dispatcher = new Dispatcher(clock, reserveAfterMs);
  const preemption = isPreempting ? new Preemption(dispatcher) : undefined;
  const writtenGrants = new WeakSet<object>();
  const reports = new HeldReports(dispatcher);
  const statuses = new QueueStatuses(dispatcher);
  let areThere: Promise<void> | undefined;

  /** A term of the leadership begins with the objects alone. */
  const newTerm: Source = {
    kinds: [],
    start: () => {
      reports.forgetAll();
      preemption?.forgetAll();
      return { [Symbol.dispose]: () => {} };
    },
  };

  const release = async (binding: ResourceBinding, ref: ObjectRef, context: ReconcileContext) => {
    const { cache, client, signal } = context;
    const grant = dispatcher.state(cache).grantOf(objectKey(ref));
    if (grant === undefined || writtenGrants.has(grant)) return;
    const patch = { type: 'merge', body: releasePatch(binding, grant) } as const;
    await client.patch(ResourceBinding, ref, patch, { fieldManager: FIELD_MANAGER, signal });
    writtenGrants.add(grant);
  };

  const ownTurn = async (
    { name }: ObjectRef,
    context: ReconcileContext,
  ): Promise<ReconcileResult> => {
    if (name === REPORTS.name) return reports.recheck(context);
    if (name === REPORT.name) return reports.writeNext(context);
    return name === RECLAIM.name ? preemption?.check(context) : undefined;
  };

  /** Returns admitted work without a place to its queue, so that its reservation is free for others. */
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

  return defineController({
    name: 'dispatcher',
    concurrency: 128,
    watches: [
      newTerm,
      dispatcher,
      watch(ResourceBinding, { when: isQueueChange, resync: true }),
      watch(Queue, { map: refTo(QUEUE_REF), resync: true }),
      watch(Queue, {
        atStart: false,
        when: (now, before) =>
          !sameJson(now?.metadata.annotations, before?.metadata.annotations) ||
          now?.spec.parent !== before?.spec.parent,
        map: ({ metadata }, cache) => inQueueOrBelow(cache, metadata.name),
      }),
      watch(MemberCluster, { when: isClusterChange, map: refTo(CLUSTER_REF) }),
      watch(ClusterRoom, {
        atStart: false,
        when: (now, before) =>
          now?.spec.countedAt !== before?.spec.countedAt ||
          !sameJson(now?.spec.pools, before?.spec.pools),
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
      else if (ref.namespace === ANYWHERE.namespace) dispatcher.recheckAll(cache);
      else if (ref.namespace !== GOES_ON.namespace) dispatcher.followBinding(ref, cache);
      dispatcher.dispatch(cache);
      if (ref.namespace === QUEUE_REF) return statuses.report(ref, context);
      const binding = cache(ResourceBinding).get(ref);
      if (ref.namespace === REPORTS.namespace) return ownTurn(ref, context);
      if (binding === undefined || !isInLine(binding.metadata)) {
        reports.forget(objectKey(ref));
        if (binding === undefined) {
          preemption?.forget(objectKey(ref));
          return undefined;
        }
        await preemption?.take(binding, ref, context);
        return takeBack(binding, ref, context);
      }
      preemption?.forget(objectKey(ref));
      await release(binding, ref, context).catch(ignoreNotFound);
      reports.note(objectKey(ref), queuedWorkOf(binding.metadata)?.since ?? 0, clock.now());
      return undefined;
    },
  });
};
