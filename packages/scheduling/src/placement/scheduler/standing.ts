import { findCondition } from '@perigee/api/values/conditions';
import type { Binding } from '../binding/binding.ts';
import { DEFAULT_SCHEDULER } from '../binding/distributed-to.ts';
import { propagatedBy } from '../policy/propagated-by.ts';
import { isWorkload } from './placement-request.ts';

/** What can make a scheduler decide about a binding anew, besides a change of the binding itself. */
export type Standing = 'waiting' | 'following';

/** On a binding that no policy is behind: who writes it. */
export const MANAGED_BY = 'binding.karmada.io/managed-by';

/**
 * Whether a binding is this scheduler's business. What only goes along with other work has no policy, and
 * what is suspended waits.
 */
export const isOurs = ({ metadata, spec }: Binding, schedulerName: string): boolean =>
  (spec.schedulerName || DEFAULT_SCHEDULER) === schedulerName &&
  spec.suspension?.scheduling !== true &&
  spec.placement !== undefined &&
  (propagatedBy(metadata) !== undefined || metadata.labels?.[MANAGED_BY] !== undefined);

/** Whether a binding still waits for a decision about its newest state. */
export const isWaiting = ({ metadata, status }: Binding): boolean =>
  status?.schedulerObservedGeneration !== metadata.generation ||
  findCondition(status?.conditions, 'Scheduled')?.status !== 'True';

/** Whether a change of clusters can change the decision. Divided work stays where it is. */
const followsClusters = ({ spec }: Binding): boolean =>
  !isWorkload(spec) || spec.placement?.replicaScheduling?.replicaSchedulingType !== 'Divided';

/** How a binding stands with a scheduler; nothing when it is not this scheduler's business. */
export const standingOf = (binding: Binding, schedulerName: string): readonly Standing[] => {
  if (!isOurs(binding, schedulerName)) return [];
  return [
    ...(isWaiting(binding) ? (['waiting'] as const) : []),
    ...(followsClusters(binding) ? (['following'] as const) : []),
  ];
};
