import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { assertOverrides } from './override-checks.ts';
import { overrideSpec } from './override-spec.ts';
import { selectOwnNamespace } from './resource-selector.ts';

export const OverridePolicy = defineKind({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'OverridePolicy',
  plural: 'overridepolicies',
  scope: 'Namespaced',
  shortNames: ['op'],
  categories: ['karmada-io'],
  doc: 'Changes resources of its namespace on their way to some clusters. Applied after every ClusterOverridePolicy.',
  spec: overrideSpec(),
  normalise: (policy) => assertOverrides(selectOwnNamespace(policy)),
});
export type OverridePolicy = StoredObjectOf<typeof OverridePolicy>;
export type OverridePolicyWritten = WrittenObjectOf<typeof OverridePolicy>;
