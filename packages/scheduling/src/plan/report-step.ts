import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Binding } from '../placement/binding/binding.ts';
import { usableBy } from '../placement/scheduler/cluster-change.ts';
import { isReady } from './cluster-steps.ts';
import type { PlanState } from './plan-state.ts';

type Item = NonNullable<BindingStatus['aggregatedStatus']>[number];

/** The statuses that members report for delivered work. */
const statusesOf = (state: PlanState, { spec, status }: Binding): readonly Item[] => {
  const known = new Map((status?.aggregatedStatus ?? []).map((one) => [one.clusterName, one]));
  const leaving = new Set((spec.gracefulEvictionTasks ?? []).map(({ fromCluster }) => fromCluster));
  const told = (spec.clusters ?? []).flatMap(({ name, replicas }): readonly Item[] => {
    const cluster = state.clusters.get(name);
    const before = known.get(name);
    known.delete(name);
    if (cluster === undefined || !isReady(cluster)) return before === undefined ? [] : [before];
    const ready = replicas === undefined ? {} : { replicas, readyReplicas: replicas };
    const counts = { ...(before?.status as object | undefined), ...ready };
    return [{ clusterName: name, applied: true, health: 'Healthy', status: counts as never }];
  });
  return [...told, ...[...known.values()].filter(({ clusterName }) => leaving.has(clusterName))];
};

/**
 * Delivers placed work to members, and updates the reported room of clusters. Returns the clusters whose room changed.
 */
export const reportStep = (state: PlanState): ReadonlySet<string> => {
  const changed = new Set<string>();
  for (const key of [...state.moved]) {
    state.moved.delete(key);
    const binding = state.bindings.get(key);
    const clusters = state.room.book(key, state.touched.get(key), binding);
    for (const cluster of clusters) changed.add(cluster);
    if (binding === undefined) continue;
    const aggregatedStatus = statusesOf(state, binding);
    state.writeStatus(key, { ...binding.status, aggregatedStatus });
    state.due.tasks.add(key);
  }
  const facts = [...changed].flatMap((name) => state.room.get(name) ?? []);
  for (const key of state.standing('waiting')) {
    const binding = state.bindings.get(key);
    if (binding !== undefined && facts.some(usableBy(binding))) state.due.schedule.add(key);
  }
  if (changed.size > 0) state.due.dispatch = true;
  return changed;
};
