import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { type PolicyRule, Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import { aUser, clusterRole, role, setUpRbac, toUser } from './rbac-fixture.ts';

const pods: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const one: PolicyRule = { ...pods, resourceNames: ['one'] };
const health: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/healthz'] };

test('the rules for somebody are those of their bindings here and everywhere', async () => {
  const { client, access } = await setUpRbac();
  const subjects = [toUser('jane')];
  await client.create(ClusterRole, { metadata: { name: 'c' }, rules: [pods, health] });
  await client.create(Role, { metadata: { name: 'r', namespace: 'a' }, rules: [one] });
  const bind = { subjects, roleRef: clusterRole('c') };
  await client.create(ClusterRoleBinding, { metadata: { name: 'c' }, ...bind });
  const here = { name: 'r', namespace: 'a' };
  await client.create(RoleBinding, { metadata: here, subjects, roleRef: role('r') });

  const jane = aUser('jane');
  assert.deepEqual(access.rulesFor(jane, 'a'), {
    resourceRules: [pods, one],
    nonResourceRules: [health],
    incomplete: false,
  });
  assert.deepEqual(access.rulesFor(jane, 'b').resourceRules, [pods]);
  assert.deepEqual(access.rulesFor(aUser('tim'), 'a').resourceRules, []);
});

test('roles that do not exist are told, and the rest is given', async () => {
  const { client, access } = await setUpRbac();
  const metadata = { name: 'gone', namespace: 'a' };
  const subjects = [toUser('jane')];
  await client.create(RoleBinding, { metadata, subjects, roleRef: role('gone') });
  assert.deepEqual(access.rulesFor(aUser('jane'), 'a'), {
    resourceRules: [],
    nonResourceRules: [],
    incomplete: false,
    evaluationError: 'role.rbac.authorization.k8s.io "gone" not found',
  });
});
