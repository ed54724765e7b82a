import type { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import type { Scheduler } from '@perigee/api/kinds/globalscheduler/scheduler';
import { presentHomes } from './present-homes.ts';
import { shardedClusters } from './sharded-clusters.ts';
import { type Move, movesOf, type Sharding } from './sharding.ts';

/** A change of the schedulers that one thinks about. */
export interface SchedulersChange {
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
}

/** What would move if schedulers joined or left, by the very function that would decide it. */
export const whatIf = (
  sharding: Sharding,
  schedulers: readonly Scheduler[],
  clusters: readonly Cluster[],
  { joins, leaves }: SchedulersChange,
): readonly Move[] => {
  const homes = presentHomes(schedulers);
  const sharded = shardedClusters(clusters, (name) => homes.get(name));
  const present = schedulers
    .filter(({ metadata, status }) => {
      const isThere = status?.phase === 'Active' || status?.phase === 'Unavailable';
      return isThere && metadata.deletionTimestamp === undefined;
    })
    .map(({ metadata }) => metadata.name);
  const after = new Set([...present, ...joins].filter((name) => !leaves.includes(name)));
  return movesOf(sharded, sharding(sharded, [...after]));
};
