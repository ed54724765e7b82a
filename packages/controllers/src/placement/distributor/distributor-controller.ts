import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { parseTime } from '@perigee/api/values/time';
import type { ObjectRef } from '@perigee/kube/client/client';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { chooseScheduler } from '@perigee/scheduling/clusters/sharding/choose-scheduler';
import {
  DEFAULT_SCHEDULER,
  DISTRIBUTED_TO,
  distributedTo,
} from '@perigee/scheduling/placement/binding/distributed-to';
import { usableBy } from '@perigee/scheduling/placement/scheduler/usable-by';
import { isLeaving, takesWork } from '../../clusters/scheduler-lifecycle/takes-part.ts';
import { BINDING_KINDS, type Binding, type BindingKind, isWaiting } from '../scheduler/binding.ts';
import { KnownClusters } from '../scheduler/known-clusters.ts';
import { refOf } from '../scheduler/write-status.ts';
import { bindingsWith, schedulerIndex, waitingWith } from './bindings-with.ts';
import { HomesInUse } from './homes-in-use.ts';
import { isRefused, isUndecided, noteRefusers, refusersOf, takeBack } from './refusals.ts';

export interface DistributorOptions {
  /** How long a scheduler that leaves may finish what is in its queue. */
  readonly drainMs?: number;
}

const FIELD_MANAGER = 'perigee-distributor';

/** Whether it is for us to say who schedules it: others are named by the policy. */
const isFree = (binding: Binding): boolean =>
  binding.spec.placement !== undefined &&
  ((binding.spec.schedulerName || DEFAULT_SCHEDULER) === DEFAULT_SCHEDULER ||
    distributedTo(binding.metadata) === binding.spec.schedulerName);

/** Whether others have taken over what a scheduler had. */
const isEmptied = ({ status }: Scheduler): boolean =>
  (status?.clusters?.desired ?? []).length === 0;

/** For how much longer a scheduler that leaves may keep a binding that is in its queue. */
const queuedForMs = (
  binding: Binding,
  scheduler: Scheduler | undefined,
  drainMs: number,
  nowMs: number,
): number => {
  const { deletionTimestamp } = scheduler?.metadata ?? {};
  if (deletionTimestamp === undefined || !isUndecided(binding)) return 0;
  return Math.max(0, parseTime(deletionTimestamp) + drainMs - nowMs);
};

/** The bindings that a change of a scheduler concerns: its own, and those that had nobody. */
const concernedBy =
  (kind: BindingKind) =>
  (scheduler: Scheduler, cache: Caches): readonly ObjectRef[] =>
    (takesWork(scheduler) ? [DEFAULT_SCHEDULER, ''] : [scheduler.metadata.name])
      .flatMap((name) => bindingsWith(cache, kind, name))
      .map(refOf);

const distributorOf = (kind: BindingKind, drainMs: number): ControllerDefinition => {
  const clusters = new KnownClusters();
  const homes = new HomesInUse();

  const choose = (binding: Binding, refusedBy: readonly string[], cache: Caches) => {
    const { metadata, spec } = binding;
    const schedulers = [...cache(Scheduler).list()].filter(takesWork);
    return chooseScheduler({
      id: metadata.uid,
      ...(spec.placement && { placement: spec.placement }),
      clusters: clusters.all(cache).filter(usableBy(binding.spec)),
      homeOf: homes.of(schedulers),
      schedulers: schedulers.map((scheduler) => scheduler.metadata.name),
      waitingWith: (name) => waitingWith(cache, kind, name),
      refusedBy,
    });
  };

  const give = async (
    binding: Binding,
    schedulerName: string,
    { client, signal }: ReconcileContext,
  ): Promise<void> => {
    const { resourceVersion } = binding.metadata;
    const isDefault = schedulerName === DEFAULT_SCHEDULER;
    const annotations = { [DISTRIBUTED_TO]: isDefault ? null : schedulerName };
    const body = { metadata: { resourceVersion, annotations }, spec: { schedulerName } };
    const options = { fieldManager: FIELD_MANAGER, signal };
    await client.patch(kind, refOf(binding), { type: 'merge', body }, options);
  };

  /**
   * Gives work that its scheduler found no place for to the next candidate. Each step shows in the binding, so
   * that one that was interrupted is carried on.
   */
  const handOver = async (binding: Binding, context: ReconcileContext): Promise<undefined> => {
    const refusers = refusersOf(binding);
    if (!isWaiting(binding)) {
      if (refusers.length > 0) await noteRefusers(kind, binding, [], context);
      return undefined;
    }
    const present = binding.spec.schedulerName ?? '';
    if (!isRefused(binding) && !refusers.includes(present)) return undefined;
    const all = [...new Set([...refusers, present])];
    const next = choose(binding, all, context.cache);
    if (next === undefined) return undefined;
    let current = binding;
    if (!refusers.includes(present)) current = await noteRefusers(kind, current, all, context);
    if (isRefused(current)) current = await takeBack(kind, current, context);
    await give(current, next, context);
    return undefined;
  };

  return defineController<Binding>({
    name: kind.scope === 'Namespaced' ? 'distributor' : 'cluster-distributor',
    for: kind,
    concurrency: 64,
    when: (now, before) =>
      now !== undefined &&
      (now.metadata.generation !== before?.metadata.generation ||
        isUndecided(now) !== (before !== undefined && isUndecided(before)) ||
        isRefused(now) !== (before !== undefined && isRefused(before))),
    watches: [
      watch(Scheduler, {
        map: concernedBy(kind),
        when: (now, before) =>
          now === undefined ||
          before === undefined ||
          takesWork(now) !== takesWork(before) ||
          isEmptied(now) !== isEmptied(before),
      }),
    ],
    reads: [MemberCluster],
    indexes: [schedulerIndex(kind)],
    async reconcile(ref, context) {
      const { cache, clock } = context;
      const binding = cache(kind).get(ref);
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined)
        return undefined;
      if (!isFree(binding)) return undefined;
      const present = binding.spec.schedulerName || DEFAULT_SCHEDULER;
      const known = cache(Scheduler).get({ name: present });
      if (known !== undefined && takesWork(known)) return handOver(binding, context);
      // Its clusters go first: then it shows who is to have its work.
      if (known !== undefined && isLeaving(known) && !isEmptied(known)) return undefined;
      const queuedMs = queuedForMs(binding, known, drainMs, clock.now());
      if (queuedMs > 0) return { requeueAfterMs: queuedMs };
      const next = choose(binding, [], cache) ?? DEFAULT_SCHEDULER;
      if (next !== present) await give(binding, next, context);
      return undefined;
    },
  });
};

/**
 * Gives each binding a scheduler, by the clusters that it may use and the room in them. It keeps it as long as
 * that scheduler is there and finds a place for it. Without any scheduler the one that is built in does the work. One controller for
 * each scope of bindings.
 */
export const distributorControllers = ({
  drainMs = 30_000,
}: DistributorOptions = {}): readonly ControllerDefinition[] =>
  BINDING_KINDS.map((kind) => distributorOf(kind, drainMs));
