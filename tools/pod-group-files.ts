import { stringify } from 'yaml';
import {
  podGroupClusterRoles,
  podGroupRoles,
} from '../packages/controllers/src/groups/pod-groups-access.ts';

const HEADER =
  '# Generated from packages/controllers/src/groups/pod-groups-access.ts by `npm run rbac`. Do not edit.\n';
const RBAC = 'rbac.authorization.k8s.io';
const ACCOUNT = { kind: 'ServiceAccount', namespace: 'volcano-system', name: 'perigee-pod-groups' };

/** The content of deploy/pod-groups/rbac.yaml: the account of `perigee podgroups`, and its roles. */
export const podGroupsRbac = (): string => {
  const { kind: account, ...metadata } = ACCOUNT;
  const apiVersion = `${RBAC}/v1`;
  const bindingOf = (kind: string, name: string) => ({
    roleRef: { apiGroup: RBAC, kind, name },
    subjects: [ACCOUNT],
  });
  const clusterRoles = podGroupClusterRoles();
  const roles = podGroupRoles();
  const objects = [
    { apiVersion: 'v1', kind: account, metadata },
    ...clusterRoles.map((role) => ({ apiVersion, kind: 'ClusterRole', ...role })),
    // Aggregated roles are bound by their sum.
    ...['perigee-pod-groups', 'perigee-pod-groups-all'].map((name) => ({
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      ...bindingOf('ClusterRole', name),
    })),
    ...roles.map((role) => ({ apiVersion, kind: 'Role', ...role })),
    ...roles.map((role) => ({
      apiVersion,
      kind: 'RoleBinding',
      metadata: role.metadata,
      ...bindingOf('Role', role.metadata.name),
    })),
  ];
  const texts = objects.map((object) =>
    stringify(object, { lineWidth: 100, aliasDuplicateObjects: false }),
  );
  return HEADER + texts.join('---\n');
};
