import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { bindingSpec, normaliseBinding } from './binding-spec.ts';
import {
  BINDING_COLUMNS,
  BINDING_MOVED_FIELDS,
  BINDING_SPELLINGS,
  bindingStatus,
} from './binding-status.ts';

export const ResourceBinding = defineKind({
  group: 'work.karmada.io',
  version: 'v1alpha2',
  kind: 'ResourceBinding',
  plural: 'resourcebindings',
  scope: 'Namespaced',
  shortNames: ['rb'],
  categories: ['karmada-io'],
  doc: 'Ties one resource of a namespace to the policy that propagates it, to the clusters it was scheduled to, and to what became of it there.',
  spec: bindingSpec(),
  status: bindingStatus(),
  columns: BINDING_COLUMNS,
  otherSpellings: BINDING_SPELLINGS,
  movedFields: BINDING_MOVED_FIELDS,
  normalise: normaliseBinding,
});
export type ResourceBinding = StoredObjectOf<typeof ResourceBinding>;
export type ResourceBindingWritten = WrittenObjectOf<typeof ResourceBinding>;
