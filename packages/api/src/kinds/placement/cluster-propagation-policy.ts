import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { normalisePropagation, PROPAGATION_COLUMNS, propagationSpec } from './propagation-spec.ts';

export const ClusterPropagationPolicy = defineKind({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'ClusterPropagationPolicy',
  plural: 'clusterpropagationpolicies',
  scope: 'Cluster',
  shortNames: ['cpp'],
  categories: ['karmada-io'],
  doc: 'Says which resources go to which member clusters: resources without a namespace, and those of any namespace that the system has not reserved. A PropagationPolicy that selects the same resource comes first.',
  spec: propagationSpec(),
  columns: PROPAGATION_COLUMNS,
  normalise: normalisePropagation,
});
export type ClusterPropagationPolicy = StoredObjectOf<typeof ClusterPropagationPolicy>;
export type ClusterPropagationPolicyWritten = WrittenObjectOf<typeof ClusterPropagationPolicy>;
