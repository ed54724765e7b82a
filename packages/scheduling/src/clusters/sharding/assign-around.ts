import type { Assignment, ShardedCluster, Sharding, ShardingOptions } from './sharding.ts';

/** Which schedulers there are to share clusters out to. */
export interface Attendance {
  readonly active: readonly string[];
  /** Those who have fallen silent, and may come back: they keep what they have, and get nothing more. */
  readonly absent: readonly string[];
}

/** Shares clusters out among those who are there, around those who are not. */
export const assignAround = (
  sharding: Sharding,
  clusters: readonly ShardedCluster[],
  { active, absent }: Attendance,
  options: ShardingOptions = {},
): Assignment => {
  const away = new Set(absent);
  const isAway = ({ home }: ShardedCluster): boolean => home !== undefined && away.has(home);
  const waiting = clusters.filter(isAway).map(({ name, home = '' }) => [name, home] as const);
  const others = clusters.filter((cluster) => !isAway(cluster));
  return new Map([...waiting, ...sharding(others, active, options)]);
};
