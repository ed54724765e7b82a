import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { findCondition } from '@perigee/api/values/conditions';
import { parseTime } from '@perigee/schema/values/time';
import { HELD_FOR } from '../data/data-marks.ts';
import { RESERVED, type Reservation, reservationOf } from '../placement/binding/queue-marks.ts';

/** True if a queue released the work; false for work that ran already when it got into its queue. */
export const wasReleased = (metadata: Pick<ObjectMeta, 'annotations'>): boolean =>
  Object.keys(reservationOf(metadata)?.clusters ?? {}).length > 0;

/** Patch that releases work with its reservation. Other suspensions stay. */
export const releasePatch = (
  { metadata: { resourceVersion }, spec }: ResourceBinding,
  reservation: Reservation,
): object => {
  const { scheduling: _, ...others } = spec.suspension ?? {};
  return {
    metadata: {
      resourceVersion,
      annotations: { [HELD_FOR]: null, [RESERVED]: JSON.stringify(reservation) },
    },
    spec: { suspension: Object.keys(others).length === 0 ? null : { scheduling: null } },
  };
};

/**
 * Time at which released work is requeued that a scheduler reports as not placed (Scheduled=False);
 * else undefined. That report may be older than the release, which gives the scheduler its time.
 */
export const takeBackAt = (
  { metadata, spec, status }: ResourceBinding,
  withinMs: number,
): number | undefined => {
  const reservation = reservationOf(metadata);
  const isLeft =
    metadata.deletionTimestamp === undefined &&
    (spec.clusters ?? []).length === 0 &&
    spec.suspension?.scheduling !== true;
  if (reservation === undefined || !isLeft) return undefined;
  const scheduledCondition = findCondition(status?.conditions, 'Scheduled');
  if (scheduledCondition?.status !== 'False') return undefined;
  return Math.max(reservation.at, parseTime(scheduledCondition.lastTransitionTime)) + withinMs;
};

/** Patch that requeues work: the admission holds whatever has no reservation. */
export const takeBackPatch = ({ metadata: { resourceVersion } }: ResourceBinding): object => ({
  metadata: { resourceVersion, annotations: { [RESERVED]: null } },
});
