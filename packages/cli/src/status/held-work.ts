import { findCondition } from '@perigee/api/values/conditions';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';
import type { HeldWork } from './fleet-status.ts';

/** Placeholders in brackets, to distinguish them from reasons of conditions. */
const UNDECIDED = { reason: '(undecided)', message: 'no scheduler has decided about it yet' };
const SUSPENDED = { reason: '(suspended)', message: 'spec.suspension.scheduling holds it back' };

/** The reason for a binding without placement: from the condition of the queue or gate that holds it, or Scheduled. */
export const heldWork = ({ metadata, spec, status }: Binding): HeldWork => {
  const { kind, namespace, name } = spec.resource;
  const admittedCondition = findCondition(status?.conditions, 'Admitted');
  const isHeld = admittedCondition?.status === 'False';
  const condition = isHeld ? admittedCondition : findCondition(status?.conditions, 'Scheduled');
  const isSuspended = spec.suspension?.scheduling === true && !isHeld;
  const { reason, message } = isSuspended ? SUSPENDED : (condition ?? UNDECIDED);
  return {
    kind,
    ...present({ namespace }),
    name,
    since: condition?.lastTransitionTime ?? metadata.creationTimestamp,
    reason,
    message,
  };
};
