import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Binding } from '../placement/binding/binding.ts';
import { usableBy } from '../placement/scheduler/cluster-change.ts';
import { isReady } from './cluster-steps.ts';
import type { PlanState } from './plan-state.ts';

type Item = NonNullable<BindingStatus['aggregatedStatus']>[number];

/** The statuses that members report for delivered work. */
const statusesOf = (state: PlanState, { spec, status }: Binding): readonly Item[] => {
  const lastItems = new Map((status?.aggregatedStatus ?? []).map((one) => [one.clusterName, one]));
  const leavingClusters = new Set(
    (spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster),
  );
  const newItems = (spec.clusters ?? []).flatMap(({ name, replicas }): readonly Item[] => {
    const cluster = state.clusters.get(name);
    const before = lastItems.get(name);
    lastItems.delete(name);
    if (cluster === undefined || !isReady(cluster)) return before === undefined ? [] : [before];
    const ready = replicas === undefined ? {} : { replicas, readyReplicas: replicas };
    const counts = { ...(before?.status as object | undefined), ...ready };
    return [{ clusterName: name, applied: true, health: 'Healthy', status: counts as never }];
  });
  return [
    ...newItems,
    ...[...lastItems.values()].filter(({ clusterName }) => leavingClusters.has(clusterName)),
  ];
};

/**
 * Delivers placed work to members, and updates the reported room of clusters. Returns the clusters whose room changed.
 */
export const reportStep = (state: PlanState): ReadonlySet<string> => {
  const changedClusters = new Set<string>();
  for (const key of [...state.movedKeys]) {
    state.movedKeys.delete(key);
    const binding = state.bindings.get(key);
    const clusters = state.room.book(key, state.touchedBindings.get(key), binding);
    for (const cluster of clusters) changedClusters.add(cluster);
    if (binding === undefined) continue;
    const aggregatedStatus = statusesOf(state, binding);
    state.writeStatus(key, { ...binding.status, aggregatedStatus });
    state.due.tasks.add(key);
  }
  const facts = [...changedClusters].flatMap((name) => state.room.get(name) ?? []);
  for (const key of state.standing('waiting')) {
    const binding = state.bindings.get(key);
    if (binding !== undefined && facts.some(usableBy(binding))) state.due.schedule.add(key);
  }
  if (changedClusters.size > 0) state.due.dispatch = true;
  return changedClusters;
};
