import { affinityOf, hashOf } from './mixed-hash.ts';
import type { Sharding } from './sharding.ts';

/**
 * Rendezvous hashing: each cluster goes to the scheduler with the highest combined hash. Only
 * clusters of a leaving scheduler move, and those that move on a join go to the new one. Balance is
 * statistical. m·n hashes for m clusters and n schedulers.
 */
export const rendezvous: Sharding = (clusters, schedulers) => {
  const hashed = schedulers.toSorted().map((name) => ({ name, hash: hashOf(name) }));
  const homes = new Map<string, string>();
  for (const { name, id } of clusters) {
    const own = hashOf(id);
    let [home, highest] = ['', -1];
    for (const scheduler of hashed) {
      const affinity = affinityOf(own, scheduler.hash);
      if (affinity > highest) [home, highest] = [scheduler.name, affinity];
    }
    if (highest >= 0) homes.set(name, home);
  }
  return homes;
};
