import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import { aggregationController } from '../../src/rbac/aggregation-controller.ts';
import { ensureDefaultPolicy } from '../../src/rbac/default-policy/ensure-default-policy.ts';
import { setUpRbac } from './rbac-fixture.ts';

const rule = (...resources: string[]): PolicyRule => ({
  verbs: ['get'],
  apiGroups: [''],
  resources,
});

const setUp = async () => {
  const world = await setUpRbac();
  const { client, clock } = world;
  const logger = createLogger({ clock, level: 'error' });
  const manager = new Manager({ client, clock, logger, controllers: [aggregationController] });
  await manager.start();
  const rulesOf = async (name: string) => {
    await clock.advance(1_000);
    return (await client.get(ClusterRole, { name })).rules ?? [];
  };
  const part = (name: string, label: string, ...rules: PolicyRule[]) =>
    client.create(ClusterRole, { metadata: { name, labels: { [label]: 'true' } }, rules });
  const gather = (name: string, ...labels: string[]) =>
    client.create(ClusterRole, {
      metadata: { name },
      aggregationRule: {
        clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'true' } })),
      },
    });
  return { ...world, manager, rulesOf, part, gather };
};

test('a role has the rules of all that it selects, by selector and name, each once', async () => {
  const { manager, rulesOf, part, gather } = await setUp();
  await using _ = manager;
  await gather('all', 'second', 'first');
  await part('b', 'first', rule('pods'), rule('nodes'));
  await part('a', 'first', rule('pods'));
  await part('z', 'second', rule('secrets'), rule('nodes'));
  await part('none', 'third', rule('configmaps'));
  assert.deepEqual(await rulesOf('all'), [rule('secrets'), rule('nodes'), rule('pods')]);
});

test('it follows its parts as they change, lose their label, and go', async () => {
  const { client, manager, rulesOf, part, gather } = await setUp();
  await using _ = manager;
  await gather('all', 'x');
  const a = await part('a', 'x', rule('pods'));
  await part('b', 'x', rule('nodes'));
  await client.update(ClusterRole, { ...a, rules: [rule('secrets')] });
  assert.deepEqual(await rulesOf('all'), [rule('secrets'), rule('nodes')]);
  const body = { metadata: { labels: { x: 'false' } } };
  await client.patch(ClusterRole, { name: 'a' }, { type: 'merge', body });
  assert.deepEqual(await rulesOf('all'), [rule('nodes')]);
  await client.delete(ClusterRole, { name: 'b' });
  assert.deepEqual(await rulesOf('all'), []);
});

test('what others write into it does not stay, and its own label means nothing to it', async () => {
  const { client, manager, rulesOf, part, gather } = await setUp();
  await using _ = manager;
  await part('a', 'x', rule('pods'));
  await gather('all', 'x');
  assert.deepEqual(await rulesOf('all'), [rule('pods')]);
  const body = { metadata: { labels: { x: 'true' } }, rules: [rule('secrets')] };
  await client.patch(ClusterRole, { name: 'all' }, { type: 'merge', body });
  assert.deepEqual(await rulesOf('all'), [rule('pods')]);
  const { managedFields = [] } = (await client.get(ClusterRole, { name: 'all' })).metadata;
  const managers = managedFields.map(({ manager }) => manager);
  assert.ok(managers.includes('clusterrole-aggregation-controller'));
});

test('the roles of a stock cluster build upon each other', async () => {
  const { client, manager, rulesOf, part } = await setUp();
  await using _ = manager;
  await ensureDefaultPolicy(client);
  const own = { ...rule('things'), apiGroups: ['example.com'] };
  await part('own', 'rbac.authorization.k8s.io/aggregate-to-view', own);
  const [view, edit, admin] = [
    await rulesOf('view'),
    await rulesOf('edit'),
    await rulesOf('admin'),
  ];
  const has = (rules: readonly PolicyRule[], resource: string) =>
    rules.some(({ resources = [] }) => resources.includes(resource));
  assert.deepEqual(
    [has(view, 'things'), has(edit, 'things'), has(admin, 'things')],
    [true, true, true],
  );
  assert.deepEqual(
    [has(view, 'secrets'), has(edit, 'secrets'), has(admin, 'secrets')],
    [false, true, true],
  );
  assert.deepEqual(
    [has(view, 'roles'), has(edit, 'roles'), has(admin, 'roles')],
    [false, false, true],
  );
});
