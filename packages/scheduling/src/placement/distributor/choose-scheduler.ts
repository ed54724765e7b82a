import type { Placement } from '@perigee/api/kinds/placement/placement';
import { affinityOf, hashOf } from '../../clusters/sharding/mixed-hash.ts';
import type { ClusterFacts } from '../scheduler/cluster-facts.ts';

export interface SchedulerChoice {
  /** Hash input that breaks ties. */
  readonly id: string;
  readonly placement?: Placement;
  /** The clusters that its placement and its data allow. */
  readonly clusters: readonly ClusterFacts[];
  readonly homeOf: (cluster: string) => string | undefined;
  /** Schedulers that accept work now. */
  readonly schedulers: readonly string[];
  /** The backlog of a scheduler. */
  readonly waitingWith: (scheduler: string) => number;
  /** Schedulers that could not place it. */
  readonly refusedBy?: readonly string[];
}

interface Share {
  readonly clusters: number;
  /** Free cores. */
  readonly room: number;
}

const NOTHING: Share = { clusters: 0, room: 0 };

/**
 * Shares within this factor count as equal: else one scheduler would get all work that has to
 * spread.
 */
const SAME_SHARE = 0.8;

/** Free cores. A cluster without a report counts a little, so that some scheduler tries it. */
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

/** The minimum number of clusters for the work. */
const leastClusters = ({ replicaScheduling, spreadConstraints = [] }: Placement = {}): number => {
  if (replicaScheduling?.replicaSchedulingType === 'Divided' || spreadConstraints.length > 0) {
    return Math.max(1, ...spreadConstraints.map(({ minGroups = 1 }) => Number(minGroups)));
  }
  return replicaScheduling?.replicaSchedulingType === 'Duplicated' ? Number.POSITIVE_INFINITY : 1;
};

/**
 * Chooses the scheduler for a binding. Among those with enough allowed clusters, the one with the
 * most free room per pending workload wins. Work that spreads over the clusters of several
 * schedulers goes to one with about the largest share. If no scheduler has an allowed cluster, any
 * may report why the work cannot be placed. None is asked twice: undefined once all have refused.
 */
export const chooseScheduler = (choice: SchedulerChoice): string | undefined => {
  const { id, placement, schedulers, waitingWith, refusedBy = [] } = choice;
  const shares = sharesOf(choice);
  const shareOf = (name: string) => shares.get(name) ?? NOTHING;
  const able = schedulers.filter((name) => shareOf(name).clusters > 0);
  const most = able.reduce((largest, name) => Math.max(largest, shareOf(name).clusters), 0);
  const enough = Math.min(leastClusters(placement), most * SAME_SHARE);
  const own = hashOf(id);
  const ranking = (able.length === 0 ? schedulers : able)
    .filter((name) => !refusedBy.includes(name))
    .map((name) => ({
      name,
      isEnough: shareOf(name).clusters >= enough,
      worth: shareOf(name).room / (1 + waitingWith(name)),
      affinity: affinityOf(own, hashOf(name)),
    }));
  ranking.sort(
    (a, b) =>
      Number(b.isEnough) - Number(a.isEnough) || b.worth - a.worth || b.affinity - a.affinity,
  );
  return ranking[0]?.name;
};
