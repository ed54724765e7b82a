import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';

type Clusters = readonly TargetCluster[];

const shares = (clusters: Clusters): ReadonlyMap<string, number | undefined> =>
  new Map(clusters.map(({ name, replicas }) => [name, replicas]));

/** True if clusters or replicas per cluster differ. */
export const hasMoved = (before: Clusters, after: Clusters): boolean => {
  const [old, now] = [shares(before), shares(after)];
  return (
    old.size !== now.size ||
    [...now].some(([name, replicas]) => !old.has(name) || (old.get(name) ?? 0) !== (replicas ?? 0))
  );
};

/** The number of replicas that run in another cluster than before. */
export const replicasMoved = (before: Clusters, after: Clusters): number => {
  const old = shares(before);
  return after.reduce(
    (sum, { name, replicas = 0 }) => sum + Math.max(0, replicas - (old.get(name) ?? 0)),
    0,
  );
};
