import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { ClusterUnion } from '@perigee/api/kinds/clusters/cluster-union';
import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { findCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { HOME_SCHEDULER, type HomeCondition, homeCondition, loadsOf } from './home-condition.ts';
import { epochOf, highestEpoch } from './present-homes.ts';
import { isShared, shardedClusters } from './sharded-clusters.ts';
import type { Assignment } from './sharding.ts';
import type { ShardingName } from './sharding-by-name.ts';
import { unionOfClusters } from './union-of-clusters.ts';
import { attendanceOf } from './what-if.ts';
import { cappedSums } from './whole-number.ts';

/** The desired status of a scheduler. */
export interface SchedulerChange {
  readonly scheduler: Scheduler;
  readonly clusterNames: readonly string[];
  readonly union: ClusterUnion;
  /** Paths of sums in the union that exceed 64 bits. */
  readonly capped: readonly string[];
  readonly epoch: number;
  readonly sharding: ShardingName;
}

/** The desired assignment in a cluster record's status. */
export interface ClusterChange {
  readonly cluster: ClusterRecord;
  /** Absent if no scheduler can take it. */
  readonly home?: string;
  readonly epoch: number;
  /** Reports whether a requested home was granted; absent if there is nothing to report. */
  readonly condition?: HomeCondition;
}

export interface AssignmentPlan {
  /** Schedulers that gain clusters come first: no cluster is without a home in between. */
  readonly schedulers: readonly SchedulerChange[];
  readonly clusters: readonly ClusterChange[];
}

const desiredOf = ({ status }: Scheduler): readonly string[] => status?.clusters?.desired ?? [];

const isStated = (condition: HomeCondition | undefined, { status }: ClusterRecord): boolean => {
  const writtenCondition = findCondition(status?.conditions, HOME_SCHEDULER);
  return (
    writtenCondition?.reason === condition?.reason &&
    writtenCondition?.message === condition?.message
  );
};

const gains = ({ scheduler, clusterNames }: SchedulerChange): boolean => {
  const before = new Set(desiredOf(scheduler));
  return clusterNames.some((name) => !before.has(name));
};

/** The writes that bring the records in line with an assignment: differences only. */
export const planAssignment = (
  schedulers: readonly Scheduler[],
  clusters: readonly ClusterRecord[],
  homes: Assignment,
  sharding: ShardingName,
): AssignmentPlan => {
  const homeOf = (cluster: ClusterRecord): string | undefined =>
    isShared(cluster) ? homes.get(cluster.metadata.name) : undefined;
  const byName = new Map(schedulers.map((scheduler) => [scheduler.metadata.name, scheduler]));
  const weighedMembers = shardedClusters(clusters, (name) => homes.get(name));
  const loads = loadsOf(weighedMembers, homes, attendanceOf(schedulers).active.length);
  const members = Map.groupBy(
    clusters.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    homeOf,
  );
  const highest = highestEpoch(schedulers);
  const all = schedulers.map((scheduler): SchedulerChange => {
    const own = members.get(scheduler.metadata.name) ?? [];
    const names = own.map(({ metadata }) => metadata.name);
    const isSame = sameJson(names, desiredOf(scheduler));
    const epoch = isSame ? epochOf(scheduler) : highest + 1;
    const union = unionOfClusters(own);
    return { scheduler, clusterNames: names, union, capped: cappedSums(union), epoch, sharding };
  });
  const changes = all.filter(
    ({ scheduler, epoch, union }) =>
      epoch !== epochOf(scheduler) ||
      scheduler.status?.sharding !== sharding ||
      !sameJson(union, scheduler.status?.union ?? {}),
  );
  const epochs = new Map(all.map(({ scheduler, epoch }) => [scheduler.metadata.name, epoch]));
  return {
    schedulers: [...changes.filter(gains), ...changes.filter((change) => !gains(change))],
    clusters: clusters.flatMap((cluster, at): readonly ClusterChange[] => {
      const home = homeOf(cluster);
      const { weight = 0 } = weighedMembers[at] ?? {};
      const homeField = present({ home });
      const facts = { cluster, ...homeField, weight, schedulers: byName, loads, sharding };
      const condition = isShared(cluster) ? homeCondition(facts) : undefined;
      const isSame = home === cluster.status?.homeScheduler;
      if (isSame && isStated(condition, cluster)) return [];
      const epoch = isSame
        ? Number(cluster.status?.bindingEpoch ?? 0)
        : (epochs.get(home ?? '') ?? highest + 1);
      return [{ cluster, ...homeField, epoch, ...present({ condition }) }];
    }),
  };
};
