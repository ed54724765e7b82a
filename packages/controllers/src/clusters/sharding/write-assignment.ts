import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { Condition } from '@perigee/api/meta/condition';
import {
  findCondition,
  type NewCondition,
  removeCondition,
  setCondition,
} from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { ignoreNotFound, isConflict, isNotFound } from '@perigee/kube/errors';
import { HOME_SCHEDULER } from '@perigee/scheduling/clusters/sharding/home-condition';
import type {
  AssignmentPlan,
  ClusterChange,
  SchedulerChange,
} from '@perigee/scheduling/clusters/sharding/plan-assignment';
import { present } from '@perigee/schema/present';

const FIELD_MANAGER = 'perigee-cluster-assignment';
const UNION_EXACT = 'UnionExact';
/** Maximum number of fields named in a message. */
const MOST_NAMED = 10;
/** Maximum number of parallel writes of cluster records. */
const AT_ONCE = 64;

/** A merge patch that replaces the old value as a whole. */
const replacing = (old: object | undefined, next: object): object => ({
  ...Object.fromEntries(Object.keys(old ?? {}).map((key) => [key, null])),
  ...next,
});

/** The condition about sums beyond the largest storable number; none if there never was one. */
const unionConditions = (
  { scheduler, capped }: SchedulerChange,
  { clock }: ReconcileContext,
): { readonly conditions?: readonly Condition[] } => {
  const { conditions } = scheduler.status ?? {};
  const isExact = capped.length === 0;
  if (isExact && findCondition(conditions, UNION_EXACT) === undefined) return {};
  const condition: NewCondition<'Scheduler', 'UnionExact'> = isExact
    ? { type: UNION_EXACT, status: 'True', reason: 'Exact', message: 'All sums are exact.' }
    : {
        type: UNION_EXACT,
        status: 'False',
        reason: 'SumTooLarge',
        message: `So much or more: ${capped.slice(0, MOST_NAMED).join(', ')}. Look for a cluster whose record says too much.`,
      };
  return { conditions: setCondition(conditions, condition, clock.now()) };
};

const writeScheduler = async (
  change: SchedulerChange,
  context: ReconcileContext,
): Promise<void> => {
  const { scheduler, clusterNames, union, epoch, sharding } = change;
  const { client, signal } = context;
  const status = {
    epoch,
    sharding,
    clusterCount: clusterNames.length,
    clusters: { desired: clusterNames },
    union: replacing(scheduler.status?.union, union),
    ...unionConditions(change, context),
  };
  await patchStatus(client, Scheduler, scheduler, status, { fieldManager: FIELD_MANAGER, signal });
};

const writeCluster = async (
  { cluster, home, epoch, condition }: ClusterChange,
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const { conditions: conditionsBefore = [] } = cluster.status ?? {};
  const conditions =
    condition === undefined
      ? removeCondition(conditionsBefore, HOME_SCHEDULER)
      : setCondition(conditionsBefore, condition, clock.now());
  const status = {
    homeScheduler: home ?? null,
    bindingEpoch: epoch,
    ...present({ conditions: conditions === conditionsBefore ? undefined : conditions }),
  };
  const options = { fieldManager: FIELD_MANAGER, signal };
  const updatedCluster = await patchStatus(client, ClusterRecord, cluster, status, options).catch(
    ignoreNotFound,
  );
  if (updatedCluster === undefined) return;
  const before = cluster.status?.homeScheduler;
  if (before === undefined || before === home) return;
  events.normal(cluster, 'HomeSchedulerChanged', `from ${before} to ${home ?? 'nobody'}`);
};

/** True if a scheduler that could not be written is to gain a cluster of this one: until then this one keeps it. */
const wouldLose = (
  { scheduler, clusterNames }: SchedulerChange,
  untold: readonly SchedulerChange[],
): boolean => {
  if (untold.length === 0) return false;
  const desiredNames = new Set(clusterNames);
  const lostClusters = (scheduler.status?.clusters?.desired ?? []).filter(
    (name) => !desiredNames.has(name),
  );
  const awaited = new Set(untold.flatMap((change) => change.clusterNames));
  return lostClusters.some((name) => awaited.has(name));
};

/**
 * Writes the changes: schedulers that gain clusters before those that lose them, then the clusters. Each write is
 * guarded by the resource version it was decided on; a conflict starts a new reconcile. A failed write only blocks
 * the schedulers that give clusters to that one, and is thrown at the end.
 */
export const writeAssignment = async (
  { schedulers, clusters }: AssignmentPlan,
  context: ReconcileContext,
): Promise<void> => {
  const failures: unknown[] = [];
  const untold: SchedulerChange[] = [];
  for (const change of schedulers) {
    if (wouldLose(change, untold)) {
      untold.push(change);
      continue;
    }
    try {
      await writeScheduler(change, context);
    } catch (error) {
      context.signal.throwIfAborted();
      untold.push(change);
      failures.push(error);
      if (isConflict(error) || isNotFound(error)) continue;
      const why = error instanceof Error ? error.message : String(error);
      context.events.warning(change.scheduler, 'AssignmentRefused', why);
    }
  }
  const blockedSchedulers = new Set(untold.map(({ scheduler }) => scheduler.metadata.name));
  const writableChanges = clusters.filter(
    ({ home }) => home === undefined || !blockedSchedulers.has(home),
  );
  for (let at = 0; at < writableChanges.length; at += AT_ONCE) {
    const batch = writableChanges.slice(at, at + AT_ONCE);
    const results = await Promise.allSettled(batch.map((change) => writeCluster(change, context)));
    context.signal.throwIfAborted();
    for (const one of results) if (one.status === 'rejected') failures.push(one.reason);
  }
  if (failures.length > 0) throw failures[0];
};
