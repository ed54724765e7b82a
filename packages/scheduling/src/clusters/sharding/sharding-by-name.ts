import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { hashRing } from './hash-ring.ts';
import { affinityOf, hashOf } from './mixed-hash.ts';
import { epochOf } from './present-homes.ts';
import type { Sharding } from './sharding.ts';
import { stickyGeo } from './sticky-geo.ts';

/**
 * Rendezvous hashing: each cluster goes to the scheduler with the highest combined hash. Only
 * clusters of a leaving scheduler move, and those that move on a join go to the new one. Balance is
 * statistical. m·n hashes for m clusters and n schedulers.
 */
const rendezvous: Sharding = (clusters, schedulers) => {
  const hashes = schedulers.toSorted().map((name) => ({ name, hash: hashOf(name) }));
  const homes = new Map<string, string>();
  for (const { name, id } of clusters) {
    const own = hashOf(id);
    let [home, highest] = ['', -1];
    for (const scheduler of hashes) {
      const affinity = affinityOf(own, scheduler.hash);
      if (affinity > highest) [home, highest] = [scheduler.name, affinity];
    }
    if (highest >= 0) homes.set(name, home);
  }
  return homes;
};

/** Sharding algorithms by their `--sharding` name. */
export const SHARDINGS = {
  'sticky-geo': stickyGeo,
  rendezvous,
  ring: hashRing,
} as const satisfies { readonly [name: string]: Sharding };

export type ShardingName = keyof typeof SHARDINGS;

/**
 * The algorithm in use, from the scheduler status of the newest epoch; the default before the first
 * assignment.
 */
export const shardingOf = (schedulers: readonly Scheduler[]): ShardingName =>
  schedulers
    .toSorted((a, b) => epochOf(b) - epochOf(a))
    .find(({ status }) => status?.sharding !== undefined)?.status?.sharding ?? 'sticky-geo';

export const isShardingName = (name: string): name is ShardingName =>
  Object.hasOwn(SHARDINGS, name);
