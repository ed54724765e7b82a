import { findCondition } from '@perigee/api/values/conditions';
import type { Binding } from '../binding/binding.ts';
import { DEFAULT_SCHEDULER } from '../binding/distributed-to.ts';
import { propagatedBy } from '../policy/propagated-by.ts';
import { isWorkload } from './placement-request.ts';

/** The changes beside those of a binding that can make a scheduler decide again. */
export type Standing = 'waiting' | 'following';

/** The label with the writer of a binding without a policy. */
export const MANAGED_BY = 'binding.karmada.io/managed-by';

/** True if this scheduler is in charge of a binding. Dependencies have no policy, and suspended work waits. */
export const isOurs = ({ metadata, spec }: Binding, schedulerName: string): boolean =>
  (spec.schedulerName || DEFAULT_SCHEDULER) === schedulerName &&
  spec.suspension?.scheduling !== true &&
  spec.placement !== undefined &&
  (propagatedBy(metadata) !== undefined || metadata.labels?.[MANAGED_BY] !== undefined);

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
