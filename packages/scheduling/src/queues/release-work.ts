import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import { parseTime } from '@perigee/schema/values/time';
import { HELD_FOR } from '../data/data-marks.ts';
import { RESERVED, type Reservation, reservationOf } from '../placement/binding/queue-marks.ts';

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
 * else undefined.
 */
export const takeBackAt = (
  { metadata, spec, status }: ResourceBinding,
  withinMs: number,
): number | undefined => {
  const isLeft =
    metadata.deletionTimestamp === undefined &&
    reservationOf(metadata) !== undefined &&
    (spec.clusters ?? []).length === 0 &&
    spec.suspension?.scheduling !== true;
  const scheduledCondition = isLeft ? findCondition(status?.conditions, 'Scheduled') : undefined;
  if (scheduledCondition?.status !== 'False') return undefined;
  return parseTime(scheduledCondition.lastTransitionTime) + withinMs;
};

/** Patch that requeues work: the admission holds whatever has no reservation. */
export const takeBackPatch = ({ metadata: { resourceVersion } }: ResourceBinding): object => ({
  metadata: { resourceVersion, annotations: { [RESERVED]: null } },
});
