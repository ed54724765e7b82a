import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { RBAC_GROUP } from '@perigee/kubernetes/rbac/rbac-group';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { RoleBinding } from '@perigee/kubernetes/rbac/role-binding';
import type { JsonObject } from '@perigee/schema/json';
import fc from 'fast-check';
import { AccessControl } from '../../src/rbac/access-control.ts';
import { authorize } from '../../src/rbac/authorize.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { plainPolicy } from './plain-policy.ts';
import { aUser, clusterRole, setUpRbac, toUser, wish } from './rbac-fixture.ts';

const READ_PODS: readonly PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];

test('what was written before a question holds for its answer', async () => {
  const { client, access } = await setUpRbac();
  const jane = aUser('jane');
  const isAllowed = () => access.allowed(wish(jane, { namespace: 'a' })).allowed;
  assert.equal(isAllowed(), false);
  await client.create(ClusterRole, { metadata: { name: 'pods' }, rules: READ_PODS });
  const metadata = { name: 'jane', namespace: 'a' };
  const roleRef = clusterRole('pods');
  await client.create(RoleBinding, { metadata, roleRef, subjects: [toUser('jane')] });
  assert.equal(isAllowed(), true);
  await client.update(RoleBinding, { metadata, roleRef, subjects: [toUser('tim')] });
  assert.equal(isAllowed(), false);
  await client.update(RoleBinding, {
    metadata,
    roleRef,
    subjects: [toUser('tim'), toUser('jane')],
  });
  assert.equal(isAllowed(), true);
  await client.update(ClusterRole, { metadata: { name: 'pods' }, rules: [] });
  assert.equal(isAllowed(), false);
  await client.update(ClusterRole, { metadata: { name: 'pods' }, rules: READ_PODS });
  await client.delete(RoleBinding, { name: 'jane', namespace: 'a' });
  assert.equal(isAllowed(), false);
});

test('that also holds for who awaits the store itself, and however much happened in between', async () => {
  const store = createMemoryStore({ history: { events: 3 } });
  const access = new AccessControl({ store, cluster: 'root' });
  const asked = () => access.allowed(wish(aUser('jane'), {})).allowed;
  const put = (plural: string, object: JsonObject) => {
    const { name } = object.metadata as { name: string };
    return store.write(`root/${RBAC_GROUP}/${plural}`, name, () => ({ put: object }));
  };
  await put('clusterroles', { metadata: { name: 'pods' }, rules: READ_PODS } as never);
  assert.equal(asked(), false);
  const binding = { metadata: { name: 'j' }, roleRef: clusterRole('pods') };
  await put('clusterrolebindings', { ...binding, subjects: [toUser('jane')] } as never);
  assert.equal(asked(), true);
  await put('clusterrolebindings', { ...binding, subjects: [] } as never);
  for (let n = 0; n < 10; n++) await put('others', { metadata: { name: `${n}` } });
  assert.equal(asked(), false);
});

test('other clusters on the same store have other policies', async () => {
  const { client, registry } = await setUpRbac();
  await client.create(ClusterRole, { metadata: { name: 'pods' }, rules: READ_PODS });
  const subjects = [toUser('jane')];
  const roleRef = clusterRole('pods');
  await client.create(ClusterRoleBinding, { metadata: { name: 'j' }, roleRef, subjects });
  const other = new AccessControl({ store: registry.store, cluster: 'member' });
  assert.equal(other.allowed(wish(aUser('jane'), {})).allowed, false);
  assert.equal(new AccessControl(registry).allowed(wish(aUser('jane'), {})).allowed, true);
});

const some = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const few = <T>(arbitrary: fc.Arbitrary<T>, maxLength = 2) => fc.array(arbitrary, { maxLength });

const ruleOf = fc.record({
  verbs: few(some('get', 'list', '*')),
  apiGroups: few(some('', 'apps', '*')),
  resources: few(some('pods', 'pods/log', '*/log', '*')),
  resourceNames: few(some('x', 'y'), 1),
});

const subjectOf = fc.oneof(
  fc.record({ kind: some('User', 'Group'), name: some('p', 'q', 'system:serviceaccount:a:s') }),
  fc.record({
    kind: fc.constant('ServiceAccount'),
    name: some('s', 't'),
    namespace: some('', 'a'),
  }),
);

const placeOf = some(undefined, 'a', 'b');
const nameOf = some('m', 'n');

const change = fc.oneof(
  fc.record({
    type: fc.constant('role' as const),
    namespace: placeOf,
    name: nameOf,
    rules: fc.option(few(ruleOf), { nil: undefined, freq: 3 }),
  }),
  fc.record({
    type: fc.constant('binding' as const),
    namespace: placeOf,
    name: nameOf,
    roleKind: some('Role', 'ClusterRole'),
    roleName: nameOf,
    subjects: fc.option(few(subjectOf, 3), { nil: undefined, freq: 3 }),
  }),
  fc.constant({ type: 'other' as const }),
);

const question = fc.record({
  user: fc.record({
    name: some('p', 'q', 'system:serviceaccount:a:s', 'system:serviceaccount:b:s'),
    groups: few(some('p', 'q')),
  }),
  verb: some('get', 'list'),
  apiGroup: some('', 'apps'),
  resource: some('pods', 'nodes'),
  subresource: some('', 'log'),
  name: some('', 'x'),
  namespace: some('', 'a', 'b', 'c'),
});

test('the index decides as a look at all bindings would, after whatever changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      few(fc.record({ changes: few(change, 6), questions: few(question, 4) }), 6),
      some(2, 1_000),
      async (steps, events) => {
        const store = createMemoryStore({ history: { events } });
        const access = new AccessControl({ store, cluster: 'root' });
        const roles = new Map<string, readonly PolicyRule[]>();
        const bindings = new Map<string, RoleBinding>();
        const write = (plural: string, key: string, object: object | undefined) =>
          store.write(`root/${RBAC_GROUP}/${plural}`, key, () =>
            object === undefined ? { remove: true } : { put: object as JsonObject },
          );
        const apply = async (step: typeof change extends fc.Arbitrary<infer T> ? T : never) => {
          if (step.type === 'other') return write('others', 'x', { metadata: { name: 'x' } });
          const { name, namespace } = step;
          const key = namespace === undefined ? name : `${namespace}/${name}`;
          const prefix = namespace === undefined ? 'cluster' : '';
          const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
          if (step.type === 'role') {
            const { rules } = step;
            if (rules === undefined) roles.delete(key);
            else roles.set(key, rules);
            return write(`${prefix}roles`, key, rules && { metadata, rules });
          }
          const { roleKind, roleName, subjects } = step;
          const roleRef = { apiGroup: RBAC_GROUP, kind: roleKind, name: roleName };
          const binding = subjects && ({ metadata, roleRef, subjects } as unknown as RoleBinding);
          if (binding === undefined) bindings.delete(key);
          else bindings.set(key, binding);
          return write(`${prefix}rolebindings`, key, binding);
        };
        for (const { changes, questions } of steps) {
          for (const step of changes) await apply(step);
          const plain = plainPolicy(roles, [...bindings.values()]);
          for (const rest of questions) {
            const attributes = { ...rest, apiVersion: 'v1' };
            assert.deepEqual(access.authorize(attributes), authorize(plain, attributes));
            const { user, namespace } = attributes;
            assert.deepEqual(
              access.bindingsOf(user, namespace).map(({ metadata }) => metadata.name),
              plain.bindingsOf(user, namespace).map(({ metadata }) => metadata.name),
            );
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});
