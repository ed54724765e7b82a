import type { Binding } from '../placement/binding/binding.ts';
import { placementRequest } from '../placement/scheduler/placement-request.ts';
import type { PlanState } from '../plan/plan-state.ts';

/** The replicas in a cluster before the change. */
const runningIn = (before: Binding | undefined, cluster: string): number => {
  const item = before?.status?.aggregatedStatus?.find((one) => one.clusterName === cluster);
  const { readyReplicas } = (item?.status ?? {}) as { readonly readyReplicas?: number };
  return readyReplicas ?? 0;
};

/** False if the nodes of a cluster are known, and lack room for the pods of the work there. */
export const nodesTake = ({ world }: PlanState, { metadata, spec, status }: Binding): boolean => {
  const { isWorkload, set, kind } = placementRequest(spec, status ?? {}, spec.placement ?? {});
  if (!isWorkload || set !== undefined) return true;
  const before = world.bindings.find((one) => one.metadata.uid === metadata.uid);
  return (spec.clusters ?? []).every(({ name, replicas = 0 }) => {
    const free = world.spaces.get(name)?.free;
    if (free === undefined || !free.tells(kind.claim)) return true;
    return replicas <= free.podsFor(kind) + runningIn(before, name);
  });
};
