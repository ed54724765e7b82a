import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { type Attendance, assignAround } from './assign-around.ts';
import { presentHomes } from './present-homes.ts';
import { isShared, shardedClusters } from './sharded-clusters.ts';
import { type Move, movesOf, type Sharding } from './sharding.ts';

/** A hypothetical change of the schedulers. */
export interface SchedulersChange {
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
}

/** The current schedulers, from their statuses. */
export const attendanceOf = (schedulers: readonly Scheduler[]): Attendance => {
  const namesIn = (phase: string): readonly string[] =>
    schedulers
      .filter(
        ({ metadata, status }) =>
          status?.phase === phase && metadata.deletionTimestamp === undefined,
      )
      .map(({ metadata }) => metadata.name);
  return { active: namesIn('Active'), absent: namesIn('Unavailable') };
};

/**
 * Simulates joins and leaves with the function that decides the assignment, and returns the moves.
 */
export const whatIf = (
  sharding: Sharding,
  schedulers: readonly Scheduler[],
  clusters: readonly ClusterRecord[],
  { joins, leaves }: SchedulersChange,
): readonly Move[] => {
  const homes = presentHomes(schedulers);
  const members = shardedClusters(clusters.filter(isShared), (name) => homes.get(name));
  const { active, absent } = attendanceOf(schedulers);
  const stays = (name: string): boolean => !leaves.includes(name);
  const after = {
    active: [...new Set([...active, ...joins])].filter(stays),
    absent: absent.filter((name) => stays(name) && !joins.includes(name)),
  };
  return movesOf(members, assignAround(sharding, members, after));
};
