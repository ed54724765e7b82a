import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';

/** A binding of either scope. */
export type Binding = ResourceBinding | ClusterResourceBinding;
export type BindingKind = ResourceKind<Binding>;

export const BINDING_KINDS: readonly [namespaced: BindingKind, clusterScoped: BindingKind] = [
  ResourceBinding as BindingKind,
  ClusterResourceBinding as BindingKind,
];

/** Annotation with the placement that the scheduler last applied, as JSON. */
export const APPLIED_PLACEMENT = 'policy.karmada.io/applied-placement';
