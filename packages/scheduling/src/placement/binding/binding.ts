import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** A binding of either scope: what is said about one holds for the other. */
export type Binding = ResourceBinding | ClusterResourceBinding;
export type BindingKind = ResourceKind<Binding>;

export const BINDING_KINDS: readonly [namespaced: BindingKind, clusterScoped: BindingKind] = [
  ResourceBinding as BindingKind,
  ClusterResourceBinding as BindingKind,
];

/** The annotation that holds the placement by which the scheduler last decided, as JSON. */
export const APPLIED_PLACEMENT = 'policy.karmada.io/applied-placement';
