import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { HELD_FOR } from '../data/data-marks.ts';
import { RESERVED, type Reservation } from './queue-marks.ts';

/** The change that lets work through, with what is kept for it. What else is suspended stays so. */
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
