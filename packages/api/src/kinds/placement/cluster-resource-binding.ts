import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { bindingSpec, normaliseBinding } from './binding-spec.ts';
import {
  BINDING_COLUMNS,
  BINDING_MOVED_FIELDS,
  BINDING_SPELLINGS,
  bindingStatus,
} from './binding-status.ts';

export const ClusterResourceBinding = defineKind({
  group: 'work.karmada.io',
  version: 'v1alpha2',
  kind: 'ClusterResourceBinding',
  plural: 'clusterresourcebindings',
  scope: 'Cluster',
  shortNames: ['crb'],
  categories: ['karmada-io'],
  doc: 'Ties one resource without a namespace to the policy that propagates it, to the clusters it was scheduled to, and to what became of it there.',
  spec: bindingSpec(),
  status: bindingStatus(),
  columns: BINDING_COLUMNS,
  otherSpellings: BINDING_SPELLINGS,
  movedFields: BINDING_MOVED_FIELDS,
  normalise: normaliseBinding,
});
export type ClusterResourceBinding = StoredObjectOf<typeof ClusterResourceBinding>;
export type ClusterResourceBindingWritten = WrittenObjectOf<typeof ClusterResourceBinding>;
