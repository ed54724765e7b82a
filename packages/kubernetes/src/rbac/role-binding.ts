import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { RBAC_GROUP } from './rbac-group.ts';

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleRef {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

interface BindingFields {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: RoleRef;
}

export type RoleBinding = KubeObject & BindingFields;
export type RoleBindingWritten = WrittenObject & BindingFields;

export const RoleBinding: ResourceKind<RoleBinding, RoleBindingWritten> = {
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
};
