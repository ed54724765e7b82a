import type { ClusterResourceBinding } from '@perigee/api/kinds/karmada/cluster-resource-binding';
import type { ResourceBinding } from '@perigee/api/kinds/karmada/resource-binding';
import { findCondition } from '@perigee/api/values/conditions';
import type { HeldWork } from './fleet-status.ts';

type Binding = ResourceBinding | ClusterResourceBinding;

const UNSEEN = { reason: 'NotYetSeen', message: 'no scheduler has decided about it yet' };

/** Why a binding has no place, from the condition in which its scheduler says so. */
export const heldWork = ({ metadata, spec, status }: Binding): HeldWork => {
  const { kind, namespace, name } = spec.resource;
  const condition = findCondition(status?.conditions, 'Scheduled');
  const { reason, message } = condition ?? UNSEEN;
  return {
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    since: condition?.lastTransitionTime ?? metadata.creationTimestamp,
    reason,
    message,
  };
};
