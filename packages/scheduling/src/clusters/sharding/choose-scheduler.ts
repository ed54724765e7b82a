import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ClusterFacts } from '../../placement/scheduler/cluster-facts.ts';
import { affinityOf, hashOf } from './mixed-hash.ts';

export interface SchedulerChoice {
  /** What stands for the work between equals. */
  readonly id: string;
  readonly placement?: Placement;
  /** The clusters that its placement and its data allow. */
  readonly clusters: readonly ClusterFacts[];
  readonly homeOf: (cluster: string) => string | undefined;
  /** Those who can take work now. */
  readonly schedulers: readonly string[];
  /** How much work waits with a scheduler already. */
  readonly waitingWith: (scheduler: string) => number;
  /** Those who found no place for it. */
  readonly refusedBy?: readonly string[];
}

interface Share {
  readonly clusters: number;
  /** Free cores. */
  readonly room: number;
}

const NOTHING: Share = { clusters: 0, room: 0 };

/** Shares that differ by less are the same: else one scheduler would get all work that has to spread. */
const SAME_SHARE = 0.8;

/** Cores that are free. A cluster that has not told yet counts a little: somebody has to ask it. */
const freeOf = ({ capacity }: ClusterFacts): number =>
  1 + Math.max(0, (capacity?.free.get('cpu')?.parts ?? 0) / 1000);

const sharesOf = ({ clusters, homeOf }: SchedulerChoice): ReadonlyMap<string, Share> => {
  const shares = new Map<string, Share>();
  for (const cluster of clusters) {
    const home = cluster.isDeleting ? undefined : homeOf(cluster.name);
    if (home === undefined) continue;
    const share = shares.get(home) ?? NOTHING;
    shares.set(home, { clusters: share.clusters + 1, room: share.room + freeOf(cluster) });
  }
  return shares;
};

/** On how many clusters the work has to be at least. */
const leastClusters = ({ replicaScheduling, spreadConstraints = [] }: Placement = {}): number => {
  if (replicaScheduling?.replicaSchedulingType === 'Divided' || spreadConstraints.length > 0) {
    return Math.max(1, ...spreadConstraints.map(({ minGroups = 1 }) => Number(minGroups)));
  }
  return replicaScheduling?.replicaSchedulingType === 'Duplicated' ? Number.POSITIVE_INFINITY : 1;
};

/**
 * The scheduler for some work. Of those who have enough clusters that it may use, the one with the most room
 * for each piece of work that waits with it already. Work that has to spread over the clusters of several goes
 * to one with the largest share of them. Only when nobody has any such cluster, anybody may say why it cannot
 * be placed. Nobody is asked twice: nothing when all have refused.
 */
export const chooseScheduler = (choice: SchedulerChoice): string | undefined => {
  const { id, placement, schedulers, waitingWith, refusedBy = [] } = choice;
  const shares = sharesOf(choice);
  const shareOf = (name: string) => shares.get(name) ?? NOTHING;
  const able = schedulers.filter((name) => shareOf(name).clusters > 0);
  const most = able.reduce((largest, name) => Math.max(largest, shareOf(name).clusters), 0);
  const enough = Math.min(leastClusters(placement), most * SAME_SHARE);
  const own = hashOf(id);
  const ranked = (able.length === 0 ? schedulers : able)
    .filter((name) => !refusedBy.includes(name))
    .map((name) => ({
      name,
      isEnough: shareOf(name).clusters >= enough,
      worth: shareOf(name).room / (1 + waitingWith(name)),
      affinity: affinityOf(own, hashOf(name)),
    }));
  ranked.sort(
    (a, b) =>
      Number(b.isEnough) - Number(a.isEnough) || b.worth - a.worth || b.affinity - a.affinity,
  );
  return ranked[0]?.name;
};
