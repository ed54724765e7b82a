import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, WrittenObject } from '@perigee/api/meta/resource-kind';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';
import { RBAC_GROUP } from './rbac-group.ts';
import type { RoleFields } from './role.ts';

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelectorSpec[] | null;
}

interface ClusterRoleFields extends RoleFields {
  readonly aggregationRule?: AggregationRule;
}

export type ClusterRole = KubeObject & ClusterRoleFields;
export type ClusterRoleWritten = WrittenObject & ClusterRoleFields;

export const ClusterRole: ResourceKind<ClusterRole, ClusterRoleWritten> = {
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
};
