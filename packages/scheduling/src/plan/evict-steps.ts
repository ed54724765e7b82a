import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { present, unlessEmpty } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { EvictionError } from '../errors.ts';
import type { Binding } from '../placement/binding/binding.ts';
import { assessTasks } from '../placement/failover/assess-tasks.ts';
import { drivenOut, whyStay } from '../placement/failover/drive-out.ts';
import type { PlacementFields } from '../placement/failover/evict-cluster.ts';
import type { EvictionPacer } from '../placement/failover/eviction-pacer.ts';
import { DEFAULT_EVICTION_RATES, evictionRate } from '../placement/failover/eviction-rate.ts';
import { isReady } from './cluster-steps.ts';
import type { PlanState } from './plan-state.ts';

const GRACE_MS = 600_000;

const withPlaced = (
  binding: Binding,
  { clusters, gracefulEvictionTasks }: PlacementFields,
): Binding => {
  const { clusters: _, gracefulEvictionTasks: __, ...rest } = binding.spec;
  const spec: BindingSpec = {
    ...rest,
    ...present({
      clusters: unlessEmpty(clusters),
      gracefulEvictionTasks: unlessEmpty(gracefulEvictionTasks),
    }),
  };
  return { ...binding, spec } as Binding;
};

const rateNow = ({ clusters }: PlanState): number => {
  const unhealthy = [...clusters.values()].filter((cluster) => !isReady(cluster)).length;
  return evictionRate({ total: clusters.size, unhealthy }, DEFAULT_EVICTION_RATES);
};

const evict = (state: PlanState, key: string, binding: Binding, pacer: EvictionPacer): boolean => {
  const { nowMs } = state;
  const { namespace } = binding.metadata;
  const again = (afterMs: number) =>
    state.timeline.at(nowMs + afterMs, () => state.due.evict.add(key), `evict ${key}`);
  const moment = { nowMs, purgeMode: 'Gracefully' } as const;
  const { evicted, nextMs } = drivenOut(binding, (name) => state.clusters.get(name), moment);
  const why = evicted && whyStay(binding, evicted, state.room.all, state.recent);
  if (why !== undefined) {
    pacer.forget(key, namespace);
    state.report(key, 'CannotLeave', why);
    return false;
  }
  if (nextMs !== undefined) again(nextMs);
  if (evicted === undefined) {
    pacer.forget(key, namespace);
    return true;
  }
  const waitMs = pacer.enter(key, rateNow(state), nowMs, namespace);
  if (waitMs !== undefined) {
    again(waitMs);
    return true;
  }
  for (const task of evicted.placement.gracefulEvictionTasks) {
    if (!evicted.from.includes(task.fromCluster)) continue;
    state.report(key, 'TaintUntolerated', `${task.fromCluster}: ${task.message ?? ''}`);
  }
  state.write(key, withPlaced(binding, evicted.placement));
  return true;
};

/** Evicts a binding from clusters whose taints it does not tolerate, when the pacer allows it. */
export const evictStep = (
  state: PlanState,
  key: string,
  pacer: EvictionPacer,
  stays: Set<string>,
): void => {
  const binding = state.bindings.get(key);
  if (binding === undefined) return;
  stays.delete(key);
  try {
    if (!evict(state, key, binding, pacer)) stays.add(key);
  } catch (error) {
    if (!(error instanceof EvictionError)) throw error;
    pacer.forget(key, binding.metadata.namespace);
    state.report(key, 'CannotLeave', error.message);
  }
};

/** Ends the evictions of a binding that timed out, or whose replacement is healthy. */
export const tasksStep = (state: PlanState, key: string): void => {
  const binding = state.bindings.get(key);
  const tasks = binding?.spec.gracefulEvictionTasks ?? [];
  if (binding === undefined || tasks.length === 0) return;
  const { metadata, spec, status = {} } = binding;
  const { clusters = [] } = spec;
  const { openTasks, nextMs } = assessTasks(
    {
      tasks,
      clusters,
      aggregatedStatus: status.aggregatedStatus,
      isScheduled: status.schedulerObservedGeneration === metadata.generation,
    },
    { nowMs: state.nowMs, graceMs: GRACE_MS },
  );
  if (nextMs !== undefined) {
    state.timeline.at(state.nowMs + nextMs, () => state.due.tasks.add(key), `tasks ${key}`);
  }
  if (sameJson(openTasks, tasks)) return;
  state.write(key, withPlaced(binding, { clusters, gracefulEvictionTasks: openTasks }));
};
