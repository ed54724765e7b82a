import { findCondition } from '@perigee/api/values/conditions';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { HeldWork } from './fleet-status.ts';

/** Not reasons of a condition, so they do not look like any. */
const UNDECIDED = { reason: '(undecided)', message: 'no scheduler has decided about it yet' };
const SUSPENDED = { reason: '(suspended)', message: 'spec.suspension.scheduling holds it back' };

/** Why a binding has no place, from the condition in which whoever holds it says so, or else its scheduler. */
export const heldWork = ({ metadata, spec, status }: Binding): HeldWork => {
  const { kind, namespace, name } = spec.resource;
  const admitted = findCondition(status?.conditions, 'Admitted');
  const isHeld = admitted?.status === 'False';
  const condition = isHeld ? admitted : findCondition(status?.conditions, 'Scheduled');
  const isSuspended = spec.suspension?.scheduling === true && !isHeld;
  const { reason, message } = isSuspended ? SUSPENDED : (condition ?? UNDECIDED);
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    since: condition?.lastTransitionTime ?? metadata.creationTimestamp,
    reason,
    message,
  };
};
