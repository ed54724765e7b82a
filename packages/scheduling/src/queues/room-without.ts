import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { Capacity } from '../placement/scheduler/estimate/capacity.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import type { NodeGroup } from '../placement/scheduler/estimate/node-group.ts';
import type { WorkPart } from './work-of-binding.ts';

/**
 * The room that evicted pods leave, as a node group of the pod's size each: it is unknown which of
 * them share a node.
 */
const holesOf = (pods: readonly SetPart[]): readonly NodeGroup[] =>
  pods
    .filter(({ replicas }) => replicas > 0)
    .map(({ replicas, shape }) => ({
      count: replicas,
      pods: 1,
      free: new Map(shape.map(({ name, amount }) => [name, amount.parts])),
    }));

const moreRoom = (capacity: Capacity, pods: readonly SetPart[]): Capacity => {
  const free = new Map(capacity.free);
  for (const { replicas, shape } of pods) {
    for (const { name, amount } of shape) {
      const freeAmount = free.get(name);
      if (freeAmount === undefined) continue;
      const parts = freeAmount.parts + amount.parts * replicas;
      free.set(name, { parts, units: name === 'cpu' ? Math.ceil(parts / 1000) : parts });
    }
  }
  const leavingPods = pods.reduce((sum, { replicas }) => sum + replicas, 0);
  const grades = capacity.grades.length === 0 ? [] : [...capacity.grades, ...holesOf(pods)];
  return { ...capacity, pods: capacity.pods + leavingPods, free, grades };
};

/** The clusters as if these parts were evicted. */
export const roomWithout = (
  clusters: readonly ClusterFacts[],
  leavingParts: readonly WorkPart[],
): readonly ClusterFacts[] => {
  if (leavingParts.length === 0) return clusters;
  const byCluster = Map.groupBy(leavingParts, ({ cluster }) => cluster);
  return clusters.map((facts) => {
    const pods = byCluster.get(facts.name)?.flatMap((part) => part.pods);
    if (pods === undefined) return facts;
    const { space, capacity } = facts;
    const free = space?.free.with([...space.free.groups, ...holesOf(pods)]);
    return {
      ...facts,
      ...(space && free && { space: { ...space, free } }),
      ...(capacity && { capacity: moreRoom(capacity, pods) }),
    };
  });
};
