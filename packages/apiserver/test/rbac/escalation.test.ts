import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import type { JsonObject } from '@perigee/schema/json';
import { refuseEscalation } from '../../src/rbac/escalation.ts';
import { refused } from '../registry/registry-fixture.ts';
import { type EscalationCase, escalationTable } from './escalation-cases.ts';
import { aUser, setUpRbac } from './rbac-fixture.ts';

const { roles, bindings, cases } = escalationTable('');
const { client, access } = await setUpRbac();
for (const role of roles) await client.create(ClusterRole, role);
for (const binding of bindings) await client.create(ClusterRoleBinding, binding);

const attempt = ({ user, plural, object, old }: EscalationCase): string | undefined => {
  const { name, namespace = '' } = object.metadata as { name: string; namespace?: string };
  // Authentication adds this group to everybody whom it knows.
  const known = { ...user, groups: [...(user.groups ?? []), 'system:authenticated'] };
  const write = { user: known, plural, namespace, object };
  try {
    refuseEscalation(access, {
      ...write,
      requestName: old === undefined ? '' : name,
      ...(old === undefined ? {} : { old }),
    });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

for (const one of cases) {
  test(`somebody ${one.text}`, () => assert.equal(attempt(one), one.refusal));
}

const role: JsonObject = {
  metadata: { name: 'r', finalizers: ['a/b'] },
  rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
};
const write = { plural: 'clusterroles', requestName: 'r', namespace: '', object: role };

test('a refusal is a 403 that names the object', () => {
  assert.throws(
    () => refuseEscalation(access, { ...write, user: aUser('x') }),
    refused(403, 'Forbidden', /^clusterroles.rbac.authorization.k8s.io "r" is forbidden: user "x"/),
  );
});

test('masters write what they want, and other resources are not looked at', () => {
  refuseEscalation(access, { ...write, user: aUser('x', 'system:masters') });
  refuseEscalation(access, { ...write, plural: 'pods', user: aUser('x') });
});

test('an update that only lets go of the object gives nobody anything', () => {
  const { finalizers, ...metadata } = role.metadata as { finalizers: string[]; name: string };
  const object = { ...role, metadata };
  refuseEscalation(access, { ...write, object, old: role, user: aUser('x') });
  assert.throws(() =>
    refuseEscalation(access, {
      ...write,
      object: { ...object, metadata: { ...metadata, labels: { a: finalizers.join() } } },
      old: role,
      user: aUser('x'),
    }),
  );
});

test('a binding that refers to nothing is refused, not a fault', () => {
  const object = { metadata: { name: 'b' } };
  assert.throws(
    () => refuseEscalation(access, { ...write, plural: 'rolebindings', object, user: aUser('x') }),
    refused(404, 'NotFound'),
  );
});
