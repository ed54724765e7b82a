import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { assertOverrides } from './override-checks.ts';
import { overrideSpec } from './override-spec.ts';

export const ClusterOverridePolicy = defineKind({
  group: 'policy.karmada.io',
  version: 'v1alpha1',
  kind: 'ClusterOverridePolicy',
  plural: 'clusteroverridepolicies',
  scope: 'Cluster',
  shortNames: ['cop'],
  categories: ['karmada-io'],
  doc: 'Changes resources of any namespace, and those without one, on their way to some clusters. Applied before every OverridePolicy.',
  spec: overrideSpec(),
  normalise: assertOverrides,
});
export type ClusterOverridePolicy = StoredObjectOf<typeof ClusterOverridePolicy>;
export type ClusterOverridePolicyWritten = WrittenObjectOf<typeof ClusterOverridePolicy>;
