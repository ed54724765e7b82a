import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { normalisePropagation, PROPAGATION_COLUMNS, propagationSpec } from './propagation-spec.ts';
import { selectOwnNamespace } from './resource-selector.ts';

export const PropagationPolicy = defineKind({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'PropagationPolicy',
  plural: 'propagationpolicies',
  scope: 'Namespaced',
  shortNames: ['pp'],
  categories: ['karmada-io'],
  doc: 'Says which resources of its namespace go to which member clusters.',
  spec: propagationSpec(),
  columns: PROPAGATION_COLUMNS,
  normalise: (policy, old) => normalisePropagation(selectOwnNamespace(policy), old),
});
export type PropagationPolicy = StoredObjectOf<typeof PropagationPolicy>;
export type PropagationPolicyWritten = WrittenObjectOf<typeof PropagationPolicy>;
