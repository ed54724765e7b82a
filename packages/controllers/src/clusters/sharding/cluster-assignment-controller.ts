import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import {
  type ControllerDefinition,
  defineController,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { knownOffer } from '@perigee/scheduling/clusters/inventory/known-offer';
import { assignAround } from '@perigee/scheduling/clusters/sharding/assign-around';
import { planAssignment } from '@perigee/scheduling/clusters/sharding/plan-assignment';
import { presentHomes } from '@perigee/scheduling/clusters/sharding/present-homes';
import { isShared, shardedClusters } from '@perigee/scheduling/clusters/sharding/sharded-clusters';
import type { Assignment } from '@perigee/scheduling/clusters/sharding/sharding';
import {
  SHARDINGS,
  type ShardingName,
} from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { isLeaving, staysForMs } from '@perigee/scheduling/clusters/sharding/takes-part';
import { sameJson } from '@perigee/schema/same-json';
import { writeAssignment } from './write-assignment.ts';

export interface ClusterAssignmentOptions {
  readonly sharding?: ShardingName;
  /** Changes within this time are handled in one batch. */
  readonly batchMs?: number;
  /** Time for which a scheduler whose lease expired keeps its clusters: it may come back. */
  readonly absenceMs?: number;
  /** Interval at which overloaded schedulers give clusters away, and how many may move each time. */
  readonly repairEveryMs?: number;
  readonly repairs?: number;
}

/** The only key: there is one assignment for all clusters. */
const ALL = { name: 'all' };

/** The observed offer counts only where the record declares none. */
const offersAnew = (now: ClusterRecord | undefined, before: ClusterRecord | undefined): boolean =>
  now !== undefined &&
  before !== undefined &&
  now.status !== before.status &&
  !sameJson(knownOffer(now), knownOffer(before));

const isClusterChange = (
  now: ClusterRecord | undefined,
  before: ClusterRecord | undefined,
): boolean =>
  offersAnew(now, before) ||
  now?.metadata.generation !== before?.metadata.generation ||
  now?.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
  (now !== undefined && before !== undefined && isShared(now) !== isShared(before)) ||
  now?.status?.homeScheduler !== before?.status?.homeScheduler;

const isSchedulerChange = (now: Scheduler | undefined, before: Scheduler | undefined): boolean =>
  now?.metadata.uid !== before?.metadata.uid ||
  now?.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
  now?.status?.phase !== before?.status?.phase ||
  now?.status?.epoch !== before?.status?.epoch;

/** Clusters that take no part in the sharding keep their home, unless that scheduler is leaving. */
const allHomes = (
  present: Assignment,
  assignment: Assignment,
  schedulers: readonly Scheduler[],
): Assignment => {
  const stay = new Set(
    schedulers.filter((scheduler) => !isLeaving(scheduler)).map(({ metadata }) => metadata.name),
  );
  return new Map([...[...present].filter(([, home]) => stay.has(home)), ...assignment]);
};

/**
 * Assigns each cluster a home scheduler, and writes to each scheduler the list and the sum of its clusters. It is
 * the only writer, and recomputes the whole assignment each time, so that missed events do not matter.
 */
export const clusterAssignmentController = ({
  sharding = 'sticky-geo',
  batchMs = 100,
  absenceMs = 300_000,
  repairEveryMs = 600_000,
  repairs = 50,
}: ClusterAssignmentOptions = {}): ControllerDefinition => {
  let repairedAt: number | undefined;
  let dueAt: number | undefined;
  return defineController({
    name: 'cluster-assignment',
    watches: [
      watch(ClusterRecord, { map: () => [ALL], when: isClusterChange }),
      watch(Scheduler, { map: () => [ALL], when: isSchedulerChange, resync: true }),
    ],
    resyncMs: repairEveryMs,
    async reconcile(_, context) {
      const { cache, clock } = context;
      dueAt ??= clock.monotonic() + batchMs;
      const leftMs = dueAt - clock.monotonic();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      dueAt = undefined;
      const schedulers = [...cache(Scheduler).list()];
      const clusters = [...cache(ClusterRecord).list()].filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
      const stays = schedulers.map((scheduler) => ({
        name: scheduler.metadata.name,
        forMs: staysForMs(scheduler, absenceMs, clock.now()),
      }));
      const namesWhere = (isHere: (forMs: number) => boolean): readonly string[] =>
        stays.filter(({ forMs }) => isHere(forMs)).map(({ name }) => name);
      const attendance = {
        active: namesWhere((forMs) => forMs === Number.POSITIVE_INFINITY),
        absent: namesWhere((forMs) => forMs > 0 && forMs !== Number.POSITIVE_INFINITY),
      };
      const present = presentHomes(schedulers);
      const isRepairDue =
        repairedAt !== undefined && clock.monotonic() - repairedAt >= repairEveryMs;
      if (repairedAt === undefined || isRepairDue) repairedAt = clock.monotonic();
      const assignment = assignAround(
        SHARDINGS[sharding],
        shardedClusters(clusters.filter(isShared), (name) => present.get(name)),
        attendance,
        { repairs: isRepairDue ? repairs : 0 },
      );
      const homes = allHomes(present, assignment, schedulers);
      try {
        await writeAssignment(planAssignment(schedulers, clusters, homes, sharding), context);
      } catch (error) {
        // Retries with the queue's back-off: waiting for a new batch would reset it.
        dueAt = clock.monotonic();
        throw error;
      }
      const next = stays.reduce(
        (least, { forMs }) => (forMs > 0 ? Math.min(least, forMs) : least),
        Number.POSITIVE_INFINITY,
      );
      return Number.isFinite(next) ? { requeueAfterMs: next } : undefined;
    },
  });
};
