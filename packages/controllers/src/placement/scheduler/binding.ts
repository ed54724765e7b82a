import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { findCondition } from '@perigee/api/values/conditions';
import { DEFAULT_SCHEDULER } from '@perigee/scheduling/placement/binding/distributed-to';
import { claimOf } from '@perigee/scheduling/placement/policy/claim';
import { isWorkload } from '@perigee/scheduling/placement/scheduler/placement-request';

/** A binding of either scope: what is said about one holds for the other. */
export type Binding = ResourceBinding | ClusterResourceBinding;
export type BindingKind = ResourceKind<Binding>;

export const BINDING_KINDS: readonly [namespaced: BindingKind, clusterScoped: BindingKind] = [
  ResourceBinding as BindingKind,
  ClusterResourceBinding as BindingKind,
];

const MANAGED_BY = 'binding.karmada.io/managed-by';
export const APPLIED_PLACEMENT = 'policy.karmada.io/applied-placement';

/**
 * Whether a binding is this scheduler's business. What only goes along with other work has no policy, and
 * what is suspended waits.
 */
export const isOurs = ({ metadata, spec }: Binding, schedulerName: string): boolean =>
  (spec.schedulerName || DEFAULT_SCHEDULER) === schedulerName &&
  spec.suspension?.scheduling !== true &&
  spec.placement !== undefined &&
  (claimOf(metadata) !== undefined || metadata.labels?.[MANAGED_BY] !== undefined);

/** Whether a binding still waits for a decision about its newest state. */
export const isWaiting = ({ metadata, status }: Binding): boolean =>
  status?.schedulerObservedGeneration !== metadata.generation ||
  findCondition(status?.conditions, 'Scheduled')?.status !== 'True';

/** Whether a change of clusters can change the decision. Divided work stays where it is. */
export const followsClusters = ({ spec }: Binding): boolean =>
  !isWorkload(spec) || spec.placement?.replicaScheduling?.replicaSchedulingType !== 'Divided';
