import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { stringify } from 'yaml';
import { PERIGEE_ROLES } from '../packages/apiserver/src/perigee/perigee-roles.ts';

const HEADER = '# Generated from packages/apiserver/src/perigee by `npm run rbac`. Do not edit.\n';

/** The text of each role of Perigee by file name: what deploy/rbac must hold. */
export const roleFiles = (): ReadonlyMap<string, string> =>
  new Map(
    PERIGEE_ROLES.map((role) => {
      const object = { apiVersion: apiVersionOf(ClusterRole), kind: ClusterRole.kind, ...role };
      const text = stringify(object, { lineWidth: 100, aliasDuplicateObjects: false });
      return [`${role.metadata.name}.yaml`, HEADER + text];
    }),
  );
