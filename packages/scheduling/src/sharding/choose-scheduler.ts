import type { ClusterFacts } from '../placement/cluster-facts.ts';
import { affinityOf, hashOf } from './mixed-hash.ts';

export interface SchedulerChoice {
  /** What stands for the work between equals. */
  readonly id: string;
  /** The clusters that its placement and its data allow. */
  readonly clusters: readonly ClusterFacts[];
  readonly homeOf: (cluster: string) => string | undefined;
  /** Those who can take work now. */
  readonly schedulers: readonly string[];
  /** How much work waits with a scheduler already. */
  readonly waitingWith: (scheduler: string) => number;
}

/** Cores that are free. A cluster that has not told yet counts a little: somebody has to ask it. */
const freeOf = ({ capacity, isDeleting }: ClusterFacts): number => {
  if (isDeleting) return 0;
  return 1 + Math.max(0, (capacity?.free.get('cpu')?.parts ?? 0) / 1000);
};

/**
 * The scheduler for some work: who has the most room for it, in clusters that it may use, for each piece of
 * work that waits already. Only when nobody has any such cluster, anybody may say why it cannot be placed.
 */
export const chooseScheduler = ({
  id,
  clusters,
  homeOf,
  schedulers,
  waitingWith,
}: SchedulerChoice): string | undefined => {
  const room = new Map<string, number>();
  for (const cluster of clusters) {
    const home = homeOf(cluster.name);
    if (home !== undefined) room.set(home, (room.get(home) ?? 0) + freeOf(cluster));
  }
  const able = schedulers.filter((name) => (room.get(name) ?? 0) > 0);
  const own = hashOf(id);
  const ranked = (able.length === 0 ? schedulers : able).map((name) => ({
    name,
    worth: (room.get(name) ?? 0) / (1 + waitingWith(name)),
    affinity: affinityOf(own, hashOf(name)),
  }));
  ranked.sort((a, b) => b.worth - a.worth || b.affinity - a.affinity);
  return ranked[0]?.name;
};
