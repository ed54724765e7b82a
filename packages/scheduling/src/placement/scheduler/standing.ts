import { findCondition } from '@perigee/api/values/conditions';
import type { Binding } from '../binding/binding.ts';
import { DEFAULT_SCHEDULER } from '../binding/distributed-to.ts';
import { propagatedBy } from '../policy/propagated-by.ts';
import { isWorkload } from './placement-request.ts';

/** The changes beside those of a binding that can make a scheduler decide again. */
export type Standing = 'waiting' | 'following';

/** The label with the writer of a binding without a policy. */
export const MANAGED_BY = 'binding.karmada.io/managed-by';

/**
 * The reason why no scheduler decides about a binding; undefined if one does. Suspended work waits, a dependency goes
 * where others go, and what a deleted policy left behind is nobody's.
 */
export const whyUndecided = ({
  metadata,
  spec: { suspension, placement },
}: Pick<Binding, 'metadata' | 'spec'>): string | undefined => {
  if (suspension?.scheduling === true) return 'its scheduling is suspended';
  if (placement === undefined) return 'no policy says where else it may go';
  const isPlaced =
    propagatedBy(metadata) !== undefined || metadata.labels?.[MANAGED_BY] !== undefined;
  return isPlaced ? undefined : 'its policy is gone, and no other places it';
};

/** True if this scheduler is in charge of a binding. */
export const isOurs = (binding: Binding, schedulerName: string): boolean =>
  (binding.spec.schedulerName || DEFAULT_SCHEDULER) === schedulerName &&
  whyUndecided(binding) === undefined;

/** True if a binding has no decision about its newest state. */
export const isWaiting = ({ metadata, status }: Binding): boolean =>
  status?.schedulerObservedGeneration !== metadata.generation ||
  findCondition(status?.conditions, 'Scheduled')?.status !== 'True';

/** True if a change of clusters can change the decision. Divided work stays where it is. */
const followsClusters = ({ spec }: Binding): boolean =>
  !isWorkload(spec) || spec.placement?.replicaScheduling?.replicaSchedulingType !== 'Divided';

/** The standing of a binding with a scheduler; empty if another one is in charge. */
export const standingOf = (binding: Binding, schedulerName: string): readonly Standing[] => {
  if (!isOurs(binding, schedulerName)) return [];
  return [
    ...(isWaiting(binding) ? (['waiting'] as const) : []),
    ...(followsClusters(binding) ? (['following'] as const) : []),
  ];
};
