import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { sumResourceLists } from '@perigee/api/values/resource-list';
import { carriedDataOf, HELD_FOR, PLACEMENT_INJECTED } from '../data/data-marks.ts';
import { isFinished } from '../interpreter/finished.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import { type Amounts, amountsOf } from './amounts.ts';
import { type MarkedWork, queuedWorkOf, type Reservation, reservationOf } from './queue-marks.ts';
import { requestsIn, requestsOfCopy } from './requests.ts';
import { podsOfWork } from './work-pods.ts';

/** The part of work that one cluster has. */
export interface WorkPart {
  readonly cluster: string;
  readonly pods: readonly SetPart[];
  /** Whether the member has said how it is doing there: what it takes is then part of what the cluster reports. */
  readonly isThere: boolean;
}

/** How work stands with its queue. */
export type QueueStanding =
  | {
      readonly kind: 'waiting';
      readonly work: MarkedWork;
      /** What one copy asks for. */
      readonly copy: Amounts;
      readonly claimsSettled: boolean;
      /** Whether a user keeps it from being scheduled. */
      readonly isSuspended: boolean;
    }
  | {
      readonly kind: 'running';
      readonly work: MarkedWork;
      readonly amounts: Amounts;
      readonly parts: readonly WorkPart[];
      /** When its queue let it through, in milliseconds. */
      readonly startedAt: number;
      /** Whether a scheduler has chosen its clusters. */
      readonly isPlaced: boolean;
    }
  /** It has come to its end, and takes nothing any more. */
  | { readonly kind: 'over'; readonly work: MarkedWork };

type Target = { readonly name: string; readonly replicas?: number | undefined };

const reserved = ({ clusters }: Reservation): readonly Target[] =>
  Object.entries(clusters).map(([name, replicas]) => ({ name, replicas }));

/** What a scheduler decided; until then what was kept for it. */
const targetsOf = ({ spec }: ResourceBinding, reservation: Reservation): readonly Target[] =>
  (spec.clusters ?? []).length > 0 ? (spec.clusters ?? []) : reserved(reservation);

/** Kinds that have no status are there once they were applied. */
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
  const left = targets.filter(({ name }) => !isFinished(resource, reports.get(name)?.status));
  if (targets.length > 0 && left.length === 0) return { kind: 'over', work };
  const parts = left.map(({ name: cluster, replicas }) => ({
    cluster,
    pods: podsOfWork(spec, replicas),
    isThere: isThere(reports.get(cluster)),
  }));
  const all =
    targets.length === 0
      ? requestsOfCopy(spec, work)
      : sumResourceLists(
          left.map(({ replicas }) => requestsIn(spec, work, replicas ?? spec.replicas ?? 0)),
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

/** How the work of a binding stands with its queue; nothing when it is in none, or leaves it before its turn. */
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
