import { findCondition } from '@perigee/api/values/conditions';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { HeldWork } from './fleet-status.ts';

/** Not reasons of a condition, so they do not look like any. */
const UNDECIDED = { reason: '(undecided)', message: 'no scheduler has decided about it yet' };
const SUSPENDED = { reason: '(suspended)', message: 'spec.suspension.scheduling holds it back' };

/** Why a binding has no place, from the condition in which its scheduler says so. */
export const heldWork = ({ metadata, spec, status }: Binding): HeldWork => {
  const { kind, namespace, name } = spec.resource;
  const condition = findCondition(status?.conditions, 'Scheduled');
  const isSuspended = spec.suspension?.scheduling === true;
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
