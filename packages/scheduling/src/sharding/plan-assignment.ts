import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import type { ClusterUnion } from '@perigee/api/kinds/globalscheduler/cluster-union';
import type { Scheduler } from '@perigee/api/kinds/globalscheduler/scheduler';
import { epochOf, highestEpoch } from './present-homes.ts';
import type { Assignment } from './sharding.ts';
import { unionOfClusters } from './union-of-clusters.ts';
import { cappedSums } from './whole-number.ts';

/** What a scheduler's record should say. */
export interface SchedulerChange {
  readonly scheduler: Scheduler;
  readonly desired: readonly string[];
  readonly union: ClusterUnion;
  /** The parts of the union that are too large to be told. */
  readonly capped: readonly string[];
  readonly epoch: number;
}

/** What a cluster's record should say. */
export interface ClusterChange {
  readonly cluster: Cluster;
  /** Absent when nobody can have it. */
  readonly home?: string;
  readonly epoch: number;
}

export interface AssignmentPlan {
  /** Those who gain come first: a cluster always stands with somebody. */
  readonly schedulers: readonly SchedulerChange[];
  readonly clusters: readonly ClusterChange[];
}

const desiredOf = ({ status }: Scheduler): readonly string[] => status?.clusters?.desired ?? [];

const gains = ({ scheduler, desired }: SchedulerChange): boolean => {
  const before = new Set(desiredOf(scheduler));
  return desired.some((name) => !before.has(name));
};

/** What has to be written so that the records say what the assignment says: the differences only. */
export const planAssignment = (
  schedulers: readonly Scheduler[],
  clusters: readonly Cluster[],
  homes: Assignment,
): AssignmentPlan => {
  const members = Map.groupBy(
    clusters.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    ({ metadata }) => homes.get(metadata.name),
  );
  const highest = highestEpoch(schedulers);
  const all = schedulers.map((scheduler): SchedulerChange => {
    const own = members.get(scheduler.metadata.name) ?? [];
    const desired = own.map(({ metadata }) => metadata.name);
    const isSame = isDeepStrictEqual(desired, desiredOf(scheduler));
    const epoch = isSame ? epochOf(scheduler) : highest + 1;
    const union = unionOfClusters(own);
    return { scheduler, desired, union, capped: cappedSums(union), epoch };
  });
  const changed = all.filter(
    ({ scheduler, epoch, union }) =>
      epoch !== epochOf(scheduler) || !isDeepStrictEqual(union, scheduler.status?.union ?? {}),
  );
  const epochs = new Map(all.map(({ scheduler, epoch }) => [scheduler.metadata.name, epoch]));
  return {
    schedulers: [...changed.filter(gains), ...changed.filter((change) => !gains(change))],
    clusters: clusters.flatMap((cluster): readonly ClusterChange[] => {
      const home = homes.get(cluster.metadata.name);
      if (home === cluster.status?.homeScheduler) return [];
      const epoch = epochs.get(home ?? '') ?? highest + 1;
      return [{ cluster, ...(home === undefined ? {} : { home }), epoch }];
    }),
  };
};
