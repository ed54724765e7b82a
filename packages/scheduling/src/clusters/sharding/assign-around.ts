import type { Assignment, ShardedCluster, Sharding, ShardingOptions } from './sharding.ts';

/** The schedulers that take part in sharding. */
export interface Attendance {
  readonly active: readonly string[];
  /** Silent schedulers that may return: they keep their clusters and get no more. */
  readonly absent: readonly string[];
}

/** Shards clusters among active schedulers; clusters of absent ones stay. */
export const assignAround = (
  sharding: Sharding,
  clusters: readonly ShardedCluster[],
  { active, absent }: Attendance,
  options: ShardingOptions = {},
): Assignment => {
  const away = new Set(absent);
  const isAway = ({ home }: ShardedCluster): boolean => home !== undefined && away.has(home);
  const awayClusters = clusters.filter(isAway).map(({ name, home = '' }) => [name, home] as const);
  const others = clusters.filter((cluster) => !isAway(cluster));
  return new Map([...awayClusters, ...sharding(others, active, options)]);
};
