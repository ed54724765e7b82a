import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { sumResourceLists } from '@perigee/api/values/resource-list';
import { carriedDataOf, HELD_FOR, PLACEMENT_INJECTED } from '../data/data-marks.ts';
import { isFinished } from '../interpreter/completion-checks.ts';
import {
  type MarkedWork,
  queuedWorkOf,
  type Reservation,
  reservationOf,
} from '../placement/binding/queue-marks.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import { type Amounts, amountsOf } from './amounts.ts';
import { requestsIn, requestsOfCopy } from './requests.ts';
import { podsOfWork } from './work-pods.ts';

/** The part of the work in one cluster. */
export interface WorkPart {
  readonly cluster: string;
  readonly pods: readonly SetPart[];
  /** True once the member reports the work: its usage is then in the cluster's status. */
  readonly isThere: boolean;
}

/** The state of work in its queue. */
export type QueueStanding =
  | {
      readonly kind: 'waiting';
      readonly work: MarkedWork;
      /** The requests of one full copy. */
      readonly copy: Amounts;
      readonly claimsSettled: boolean;
      /** True if a user suspended scheduling. */
      readonly isSuspended: boolean;
    }
  | {
      readonly kind: 'running';
      readonly work: MarkedWork;
      readonly amounts: Amounts;
      readonly parts: readonly WorkPart[];
      /** Time of release, in epoch milliseconds. */
      readonly startedAt: number;
      /** True once a scheduler has chosen the clusters. */
      readonly isPlaced: boolean;
    }
  /** Finished: it uses no quota. */
  | { readonly kind: 'over'; readonly work: MarkedWork };

type Target = { readonly name: string; readonly replicas?: number | undefined };

const reservedTargets = ({ clusters }: Reservation): readonly Target[] =>
  Object.entries(clusters).map(([name, replicas]) => ({ name, replicas }));

/** The scheduled clusters, or the reserved ones until then. */
const targetsOf = ({ spec }: ResourceBinding, reservation: Reservation): readonly Target[] =>
  (spec.clusters ?? []).length > 0 ? (spec.clusters ?? []) : reservedTargets(reservation);

/** Kinds without a status count as soon as they are applied. */
const isThere = (
  report: { status?: unknown; applied?: boolean | undefined } | undefined,
): boolean => report?.status !== undefined || report?.applied === true;

const runningWork = (
  binding: ResourceBinding,
  work: MarkedWork,
  reservation: Reservation,
): QueueStanding => {
  const { spec, status = {} } = binding;
  const { resource } = spec;
  const reports = new Map((status.aggregatedStatus ?? []).map((one) => [one.clusterName, one]));
  const isPlaced = (spec.clusters ?? []).length > 0;
  const targets = targetsOf(binding, reservation);
  const openTargets = targets.filter(
    ({ name }) => !isFinished(resource, reports.get(name)?.status),
  );
  if (targets.length > 0 && openTargets.length === 0) return { kind: 'over', work };
  const parts = openTargets.map(({ name: cluster, replicas }) => ({
    cluster,
    pods: podsOfWork(spec, replicas),
    isThere: isThere(reports.get(cluster)),
  }));
  const all =
    targets.length === 0
      ? requestsOfCopy(spec, work)
      : sumResourceLists(
          openTargets.map(({ replicas }) => requestsIn(spec, work, replicas ?? spec.replicas ?? 0)),
        );
  return {
    kind: 'running',
    work,
    amounts: amountsOf(all),
    parts,
    startedAt: reservation.at,
    isPlaced,
  };
};

/**
 * The queue state of a binding; undefined if it is in no queue, or is deleted before its release.
 */
export const standingInQueue = (binding: ResourceBinding): QueueStanding | undefined => {
  const { metadata, spec } = binding;
  const work = queuedWorkOf(metadata);
  if (work === undefined) return undefined;
  const reservation = reservationOf(metadata);
  if (reservation !== undefined) return runningWork(binding, work, reservation);
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const { annotations = {} } = metadata;
  return {
    kind: 'waiting',
    work,
    copy: amountsOf(requestsOfCopy(spec, work)),
    claimsSettled:
      carriedDataOf(metadata).length === 0 || annotations[PLACEMENT_INJECTED] === 'true',
    isSuspended: spec.suspension?.scheduling === true && annotations[HELD_FOR] === undefined,
  };
};
