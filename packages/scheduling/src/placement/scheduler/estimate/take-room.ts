import type { ClusterFacts } from '../cluster-facts.ts';
import type { Capacity } from './capacity.ts';
import { estimatePods } from './estimate-pods.ts';
import { estimateSets, type SetPart } from './estimate-sets.ts';
import { type NodeGroup, type PodKind, placePods } from './node-group.ts';
import { nodeShape } from './node-shape.ts';
import { spreadPods } from './spread-pods.ts';

const spread = (groups: readonly NodeGroup[], parts: readonly SetPart[]): readonly NodeGroup[] =>
  parts.reduce((nodes, { replicas, ...kind }) => spreadPods(nodes, kind, replicas).groups, groups);

const takeSums = (capacity: Capacity, parts: readonly SetPart[]): Capacity => {
  const free = new Map(capacity.free);
  const grades = capacity.grades.filter(({ count }) => count > 0);
  let { pods } = capacity;
  for (const { replicas, shape, claim } of parts) {
    pods -= replicas;
    for (const { name, amount } of shape) {
      const freeAmount = free.get(name);
      if (freeAmount === undefined) continue;
      const parts_ = freeAmount.parts - amount.parts * replicas;
      free.set(name, { parts: parts_, units: name === 'cpu' ? Math.ceil(parts_ / 1000) : parts_ });
    }
    placePods(grades, { shape: nodeShape(shape), claim }, replicas);
  }
  return { ...capacity, pods, free, grades };
};

/** The cluster with additional pods. */
export const withPodsMore = (cluster: ClusterFacts, parts: readonly SetPart[]): ClusterFacts => {
  const { space, capacity } = cluster;
  return {
    ...cluster,
    ...(space && { space: { ...space, free: space.free.with(spread(space.free.groups, parts)) } }),
    ...(capacity && { capacity: takeSums(capacity, parts) }),
  };
};

/** The cluster without any pods; undefined if its capacity is unknown. */
export const emptyCluster = (cluster: ClusterFacts): ClusterFacts | undefined => {
  const { space, capacity, ...rest } = cluster;
  const whole = capacity && { ...capacity, ...capacity.whole, grades: [] };
  if (space?.whole !== undefined) {
    return { ...rest, space: { free: space.whole }, ...(whole && { capacity: whole }) };
  }
  return whole === undefined ? undefined : { ...rest, capacity: whole };
};

/** The number of pods of a kind that fit in a cluster. */
export const fittingPods = ({ space, capacity }: ClusterFacts, kind: PodKind): number =>
  space?.free.covers(kind.claim) === true
    ? space.free.podsFor(kind)
    : estimatePods(capacity, kind.shape);

/** True if all these pods fit in a cluster together. */
export const holds = (cluster: ClusterFacts, parts: readonly SetPart[]): boolean => {
  const requestedParts = parts.filter(({ replicas }) => replicas > 0);
  const [first, second] = requestedParts;
  if (first === undefined) return true;
  if (second === undefined) return fittingPods(cluster, first) >= first.replicas;
  const free = cluster.space?.free;
  if (free === undefined || !requestedParts.every(({ claim }) => free.covers(claim))) {
    return estimateSets(cluster.capacity, requestedParts, 1) >= 1;
  }
  return free.setsFor(requestedParts) >= 1;
};
