import type { WrittenMeta } from '@perigee/api/meta/object-meta';
import type { ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import type { RoleBindingWritten, RoleRef, Subject } from '@perigee/kubernetes/rbac/role-binding';

/** Roles and bindings that a server begins with. Those with a namespace are a Role or a RoleBinding. */
export interface PolicySet {
  readonly roles: readonly ClusterRoleWritten[];
  readonly bindings: readonly RoleBindingWritten[];
}

/** Set to "false" to exempt an object from updates. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

const METADATA: WrittenMeta = {
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
  annotations: { [AUTO_UPDATE]: 'true' },
};

const metaOf = (name: string, more: WrittenMeta): WrittenMeta => ({
  ...METADATA,
  ...more,
  name,
  labels: { ...METADATA.labels, ...more.labels },
});

export const roleOf = (
  name: string,
  rules: readonly PolicyRule[],
  metadata: WrittenMeta = {},
): ClusterRoleWritten => ({ metadata: metaOf(name, metadata), rules });

const labelFor = (name: string) => ({ [`${RBAC_GROUP}/aggregate-to-${name}`]: 'true' });

/** A role whose rules a controller gathers from those that carry its label. */
export const aggregatedRole = (name: string, ...into: readonly string[]): ClusterRoleWritten => ({
  metadata: metaOf(name, { labels: Object.assign({}, ...into.map(labelFor)) }),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: labelFor(name) }] },
});

/** A role that an aggregated role selects. */
export const partOf = (name: string, rules: readonly PolicyRule[]): ClusterRoleWritten =>
  roleOf(`system:aggregate-to-${name}`, rules, { labels: labelFor(name) });

const clusterRole = (name: string): RoleRef => ({
  apiGroup: RBAC_GROUP,
  kind: 'ClusterRole',
  name,
});

/** Binds a cluster role under its own name. */
export const bindRole = (name: string, ...subjects: readonly Subject[]): RoleBindingWritten => ({
  metadata: metaOf(name, {}),
  subjects,
  roleRef: clusterRole(name),
});

/** Binds a role of a namespace there. */
export const boundIn = (
  namespace: string,
  name: string,
  role: string,
  ...subjects: readonly Subject[]
): RoleBindingWritten => ({
  metadata: metaOf(name, { namespace }),
  subjects,
  roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: role },
});

export const userNamed = (name: string): Subject => ({ apiGroup: RBAC_GROUP, kind: 'User', name });
export const groupNamed = (name: string): Subject => ({
  apiGroup: RBAC_GROUP,
  kind: 'Group',
  name,
});
export const systemAccount = (name: string): Subject => ({
  kind: 'ServiceAccount',
  name,
  namespace: 'kube-system',
});
