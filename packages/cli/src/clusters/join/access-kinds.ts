import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { JsonObject } from '@perigee/schema/json';

/** An object of a built-in kind that is only typed as JSON. */
export type Loose = KubeObject & JsonObject;

const core = (kind: string, plural: string, scope: 'Namespaced' | 'Cluster') =>
  ({ group: '', version: 'v1', kind, plural, scope }) as ResourceKind<Loose, Loose>;

const rbac = (kind: string, plural: string, scope: 'Namespaced' | 'Cluster') =>
  ({ group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, scope }) as ResourceKind<
    Loose,
    Loose
  >;

export const ServiceAccount = core('ServiceAccount', 'serviceaccounts', 'Namespaced');
export const ClusterRole = rbac('ClusterRole', 'clusterroles', 'Cluster');
export const ClusterRoleBinding = rbac('ClusterRoleBinding', 'clusterrolebindings', 'Cluster');
export const Role = rbac('Role', 'roles', 'Namespaced');
export const RoleBinding = rbac('RoleBinding', 'rolebindings', 'Namespaced');
