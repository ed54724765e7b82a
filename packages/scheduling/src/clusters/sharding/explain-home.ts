import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { present } from '@perigee/schema/present';
import { assignAround } from './assign-around.ts';
import { homeCondition, loadsOf } from './home-condition.ts';
import { presentHomes } from './present-homes.ts';
import { isShared, shardedClusters } from './sharded-clusters.ts';
import type { ShardedCluster } from './sharding.ts';
import { SHARDINGS, type ShardingName } from './sharding-by-name.ts';
import { attendanceOf } from './what-if.ts';

/** Evidence for and against a scheduler as the home of a cluster. Weights are in cores. */
export interface HomeCandidate {
  readonly name: string;
  readonly phase: string;
  readonly clusters: number;
  readonly weight: number;
  /** The number of its other clusters in the same place. */
  readonly ofThePlace: number;
  readonly hasRoom: boolean;
}

export interface HomeExplanation {
  readonly cluster: string;
  readonly sharding: ShardingName;
  readonly weight: number;
  /** The maximum weight of a scheduler. */
  readonly cap: number;
  readonly place: readonly string[];
  readonly home?: string;
  /** True once the home scheduler's process has taken the cluster over. */
  readonly isInUse: boolean;
  readonly wish?: string;
  /** The home that it would get now if it had none. */
  readonly afresh?: string;
  readonly reason?: string;
  readonly message: string;
  readonly candidates: readonly HomeCandidate[];
}

const isSamePlace = (a: ShardedCluster, b: ShardedCluster): boolean =>
  a.place.length > 0 && a.place.join('\u0000') === b.place.join('\u0000');

const whyHere = (home: string | undefined, schedulers: readonly Scheduler[]): string => {
  if (schedulers.length === 0)
    return 'there are no schedulers: the one that is built in has all clusters';
  if (home === undefined) return 'nobody has it';
  return `${home} has it, and clusters stay where they are as long as their scheduler is there`;
};

/** Explains the home of a cluster, with the functions that decide it. */
export const explainHome = (
  cluster: ClusterRecord,
  schedulers: readonly Scheduler[],
  clusters: readonly ClusterRecord[],
  sharding: ShardingName,
): HomeExplanation => {
  const { name } = cluster.metadata;
  const homes = presentHomes(schedulers);
  const members = shardedClusters(clusters.filter(isShared), (one) => homes.get(one));
  const own = members.find((one) => one.name === name);
  const home = own?.home;
  const attendance = attendanceOf(schedulers);
  const loads = loadsOf(members, homes, attendance.active.length);
  const { weight = 0, place = [] } = own ?? {};
  const others = members.filter((one) => one.name !== name);
  const afresh =
    own === undefined
      ? undefined
      : assignAround(
          SHARDINGS[sharding],
          members.map((one) => {
            const { home: _, ...homeless } = one;
            return one === own ? homeless : one;
          }),
          attendance,
        ).get(name);
  const wish = cluster.spec.homeScheduler || undefined;
  const condition = homeCondition({
    cluster,
    ...present({ home }),
    weight,
    schedulers: new Map(schedulers.map((one) => [one.metadata.name, one])),
    loads,
    sharding,
  });
  const ofHome = schedulers.find(({ metadata }) => metadata.name === home);
  return {
    cluster: name,
    sharding,
    weight,
    cap: loads.cap,
    place: place.filter((part) => part !== ''),
    ...present({ home }),
    isInUse: ofHome?.status?.clusters?.inUse?.includes(name) ?? false,
    ...present({ wish, afresh, reason: condition?.reason }),
    message: isShared(cluster)
      ? (condition?.message ?? whyHere(home, schedulers))
      : 'it gets no home: it leaves, or is there under another name',
    candidates: schedulers.map(({ metadata, status }) => {
      const ownClusters = others.filter((one) => one.home === metadata.name);
      const before = ownClusters.reduce((sum, one) => sum + one.weight, 0);
      return {
        name: metadata.name,
        phase: metadata.deletionTimestamp === undefined ? (status?.phase ?? 'Pending') : 'Draining',
        clusters: ownClusters.length + (home === metadata.name ? 1 : 0),
        weight: loads.of(metadata.name),
        ofThePlace:
          own === undefined ? 0 : ownClusters.filter((one) => isSamePlace(one, own)).length,
        hasRoom: before + weight <= loads.cap,
      };
    }),
  };
};
