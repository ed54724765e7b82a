import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

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

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelectorSpec[] | null;
}

interface RoleFields {
  /** Go writes no rules as null. */
  readonly rules?: readonly PolicyRule[] | null;
}

interface ClusterRoleFields extends RoleFields {
  readonly aggregationRule?: AggregationRule;
}

interface BindingFields {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: RoleRef;
}

export type StoredRole = KubeObject & RoleFields;
export type StoredClusterRole = KubeObject & ClusterRoleFields;
export type StoredBinding = KubeObject & BindingFields;
export type WrittenClusterRole = WrittenObject & ClusterRoleFields;
export type WrittenBinding = WrittenObject & BindingFields;

const VERSION = { group: RBAC_GROUP, version: 'v1' } as const;

export const Role: ResourceKind<StoredRole, WrittenObject & RoleFields> = {
  ...VERSION,
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
};

export const ClusterRole: ResourceKind<StoredClusterRole, WrittenClusterRole> = {
  ...VERSION,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
};

export const RoleBinding: ResourceKind<StoredBinding, WrittenBinding> = {
  ...VERSION,
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
};

export const ClusterRoleBinding: ResourceKind<StoredBinding, WrittenBinding> = {
  ...VERSION,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
};
