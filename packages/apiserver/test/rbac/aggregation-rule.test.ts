import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { refused } from '../registry/registry-fixture.ts';
import { setUpRbac } from './rbac-fixture.ts';

const create = async (aggregationRule: object) => {
  const { client } = await setUpRbac();
  return client.create(ClusterRole, { metadata: { name: 'x' }, aggregationRule });
};

test('a role that gathers says from which roles', async () => {
  const message =
    'ClusterRole.rbac.authorization.k8s.io "x" is invalid: aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil';
  await assert.rejects(create({}), refused(422, 'Invalid', message));
  await assert.rejects(create({ clusterRoleSelectors: [] }), refused(422, 'Invalid', message));
  await create({ clusterRoleSelectors: [{}] });
});

test('a selector that cannot be understood is refused', async () => {
  const matchExpressions = [{ key: 'a', operator: 'Bad' }];
  await assert.rejects(
    create({ clusterRoleSelectors: [{ matchExpressions }] }),
    refused(
      422,
      'Invalid',
      'ClusterRole.rbac.authorization.k8s.io "x" is invalid: [aggregationRule.clusterRoleSelectors[0].matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator, aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.]',
    ),
  );
});
