import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import { RBAC_GROUP } from './rbac-group.ts';

/** Allows verbs on resources or on paths. There are no rules that forbid. */
export interface PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  // Such as pods, pods/log, */scale or *.
  readonly resources?: readonly string[];
  /** Only objects of these names; all when there are none. */
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RoleFields {
  /** Go writes no rules as null. */
  readonly rules?: readonly PolicyRule[] | null;
}

export type Role = KubeObject & RoleFields;

export const Role: ResourceKind<Role, WrittenObject & RoleFields> = {
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
};
