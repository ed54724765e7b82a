import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { RBAC_GROUP } from './rbac-group.ts';
import type { RoleBinding, RoleBindingWritten } from './role-binding.ts';

export const ClusterRoleBinding: ResourceKind<RoleBinding, RoleBindingWritten> = {
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
};
