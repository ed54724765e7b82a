import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import { accessTable } from './access-cases.ts';
import { setUpRbac } from './rbac-fixture.ts';

const { roles, bindings, cases } = accessTable('');
const { client, access } = await setUpRbac();
await ensureDefaultPolicy(client);
for (const role of roles) {
  const kind: typeof ClusterRole = role.metadata.namespace === undefined ? ClusterRole : Role;
  await client.create(kind, role);
}
for (const binding of bindings) {
  const kind = binding.metadata.namespace === undefined ? ClusterRoleBinding : RoleBinding;
  await client.create(kind, binding);
}

for (const { text, allowed, attributes } of cases) {
  test(`${text}: ${allowed ? 'yes' : 'no'}`, () => {
    assert.equal(access.allowed(attributes).allowed, allowed);
  });
}

const reasonOf = (text: string) => {
  const found = cases.find((one) => one.text === text) ?? assert.fail(text);
  return access.authorize(found.attributes);
};

test('a decision says which binding allows, and whom of its subjects it found', () => {
  const allow = (reason: string) => ({ decision: 'allow', reason: `RBAC: allowed by ${reason}` });
  assert.deepEqual(
    reasonOf('jane get pods@a'),
    allow('ClusterRoleBinding "jane-pods" of ClusterRole "read-pods" to User "jane"'),
  );
  assert.deepEqual(
    reasonOf('sa:a/worker get secrets:x@a'),
    allow('RoleBinding "worker-secrets/a" of Role "read-secrets" to ServiceAccount "worker/a"'),
  );
  assert.deepEqual(
    reasonOf('z+owners create pods@b'),
    allow('RoleBinding "olga-pods/b" of ClusterRole "own-pods" to Group "owners"'),
  );
  assert.deepEqual(reasonOf('x+system:masters get /anything'), { decision: 'allow', reason: '' });
});

test('without an opinion it says which roles are missing', () => {
  assert.deepEqual(reasonOf('jane create pods@a'), { decision: 'no-opinion', reason: '' });
  assert.deepEqual(reasonOf('gus get pods'), {
    decision: 'no-opinion',
    reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "no-such" not found',
  });
  assert.deepEqual(
    access.allowed(
      cases.find(({ text }) => text === 'gus get pods@a')?.attributes ?? assert.fail(),
    ),
    {
      allowed: false,
      reason:
        'RBAC: [clusterrole.rbac.authorization.k8s.io "no-such" not found, role.rbac.authorization.k8s.io "no-such" not found]',
    },
  );
});
