import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OwnerReference } from '@perigee/api/meta/object-meta';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Node } from '@perigee/kubernetes/core/node';
import { widgets } from '../registry/registry-fixture.ts';
import { blocking, setUpCollector, Widget } from './collector-fixture.ts';

const nobody = (more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'nobody',
  uid: 'no-such-uid',
  ...more,
});

const crd = (group: string, kind: string) => ({
  metadata: { name: `${kind.toLowerCase()}s.${group}` },
  spec: { group, names: { kind } },
});

const aWidget = { metadata: { name: 'w', namespace: 'a' }, spec: { size: 1 } };

describe('a reference to nobody', () => {
  test('ends an object that has no other', async () => {
    await using world = await setUpCollector();
    await world.add('child', [nobody()]);
    await world.add('grandchild', [blocking(await world.add('other', [nobody()]))]);
    assert.deepEqual(await world.left(), []);
  });

  test('is taken off an object that has another', async () => {
    await using world = await setUpCollector();
    const other = await world.add('other');
    await world.add('child', [nobody(), ownerReferenceTo(other)]);
    assert.deepEqual(await world.left(), ['child < other', 'other']);
  });

  test('is one to another object of the same name', async () => {
    await using world = await setUpCollector();
    const before = await world.add('owner');
    await world.end('owner', 'Background');
    await world.add('owner');
    await world.add('child', [ownerReferenceTo(before)]);
    assert.deepEqual(await world.left(), ['owner']);
  });

  test('is one by another name', async () => {
    await using world = await setUpCollector();
    const owner = await world.add('owner');
    await world.add('child', [{ ...ownerReferenceTo(owner), name: 'else' }]);
    assert.deepEqual(await world.left(), ['owner']);
  });

  test('counts from when it is written', async () => {
    await using world = await setUpCollector();
    await world.add('child');
    const body = { metadata: { ownerReferences: [nobody()] } };
    await world.client.patch(ConfigMap, { name: 'child', namespace: 'a' }, { type: 'merge', body });
    assert.deepEqual(await world.left(), []);
  });
});

describe('an owner in another namespace', () => {
  const setUpElsewhere = async () => {
    const world = await setUpCollector();
    const owner = await world.add('owner', [], { namespace: 'b' });
    return { ...world, owner };
  };

  test('is no owner, and that is told', async () => {
    await using world = await setUpElsewhere();
    const { owner } = world;
    await world.add('child', [ownerReferenceTo(owner)]);
    assert.deepEqual(await world.left(), ['b/owner']);
    assert.deepEqual(await world.warnings(), [
      {
        reason: 'OwnerRefInvalidNamespace',
        about: 'a/child',
        message: `ownerRef [v1/ConfigMap, namespace: a, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "a"`,
      },
    ]);
  });

  test('cannot be named by an object of the whole cluster, which stays and keeps nobody', async () => {
    await using world = await setUpElsewhere();
    const { owner, client } = world;
    await client.create(Node, { metadata: { name: 'n', ownerReferences: [blocking(owner)] } });
    assert.deepEqual(
      (await world.warnings()).map(({ about, message }) => `${about}: ${message}`),
      [
        `n: ownerRef [v1/ConfigMap, namespace: , name: owner, uid: ${owner.metadata.uid}] does not exist in namespace ""`,
      ],
    );
    const ref = { name: 'owner', namespace: 'b' };
    await client.delete(ConfigMap, ref, { propagationPolicy: 'Foreground' });
    assert.deepEqual(await world.left(), []);
    assert.ok(await world.find(Node, 'n'));
  });

  test('does not end with one of the whole cluster that others name', async () => {
    await using world = await setUpCollector();
    const node = await world.client.create(Node, { metadata: { name: 'n' } });
    await world.add('child', [ownerReferenceTo(node)]);
    await world.add('child', [ownerReferenceTo(node)], { namespace: 'b' });
    assert.deepEqual(await world.left(), ['child < n', 'b/child < n']);
    await world.client.delete(Node, { name: 'n' });
    assert.deepEqual(await world.left(), []);
    assert.deepEqual(await world.warnings(), []);
  });
});

describe('an owner of a kind that is not served', () => {
  const gadget = nobody({ apiVersion: 'example.com/v1', kind: 'Gadget' });

  test('may exist: nothing happens until one can tell', async () => {
    await using world = await setUpCollector();
    const { registry } = world;
    await world.add('child', [gadget, nobody()]);
    assert.deepEqual(await world.left(), ['child < nobody < nobody']);
    const names = { kind: 'Gadget', plural: 'gadgets', group: 'example.com', version: 'v1' };
    const storage = { group: 'example.com', plural: 'gadgets', version: 'v1' };
    registry.resources.serve({ ...widgets, ...names, storage });
    // Only the news that there is such a definition matters here.
    const table = 'root/apiextensions.k8s.io/customresourcedefinitions';
    await registry.store.write(table, 'gadgets.example.com', () => ({
      put: crd('example.com', 'Gadget'),
    }));
    assert.deepEqual(await world.left(), []);
  });

  test('is gone if it was seen to go before its kind', async () => {
    await using world = await setUpCollector();
    const { registry, client } = world;
    const widget = await client.create(Widget, aWidget);
    await world.add('child', [ownerReferenceTo(widget)]);
    assert.deepEqual(await world.left(), ['child < w']);
    await client.delete(Widget, { name: 'w', namespace: 'a' });
    registry.resources.withdraw(widgets);
    assert.deepEqual(await world.left(), []);
  });

  test('goes with all of its kind, as when a table is dropped', async () => {
    await using world = await setUpCollector();
    const { registry, client } = world;
    const widget = await client.create(Widget, aWidget);
    await world.add('child', [ownerReferenceTo(widget)]);
    await world.settle();
    await registry.store.drop('root/shop.example.com/widgets');
    assert.deepEqual(await world.left(), []);
  });
});

describe('owners that own each other', () => {
  const setUpCircle = async () => {
    const world = await setUpCollector();
    const a = await world.add('a');
    const b = await world.add('b', [blocking(a)]);
    const c = await world.add('c', [blocking(b)]);
    const body = { metadata: { ownerReferences: [blocking(c)] } };
    await world.client.patch(ConfigMap, { name: 'a', namespace: 'a' }, { type: 'merge', body });
    return world;
  };

  test('keep each other', async () => {
    await using world = await setUpCircle();
    assert.deepEqual(await world.left(), ['a < c', 'b < a', 'c < b']);
  });

  for (const policy of ['Background', 'Foreground'] as const) {
    test(`all go with one, ${policy}`, async () => {
      await using world = await setUpCircle();
      await world.end('b', policy);
      assert.deepEqual(await world.left(), []);
    });
  }

  test('all go when each is to wait for the next', async () => {
    await using world = await setUpCircle();
    await Promise.all(['a', 'b', 'c'].map((name) => world.end(name, 'Foreground')));
    assert.deepEqual(await world.left(), []);
  });

  test('go even alone', async () => {
    await using world = await setUpCollector();
    const self = await world.add('self');
    const body = { metadata: { ownerReferences: [blocking(self)] } };
    await world.client.patch(ConfigMap, { name: 'self', namespace: 'a' }, { type: 'merge', body });
    assert.deepEqual(await world.left(), ['self < self']);
    await world.end('self', 'Foreground');
    assert.deepEqual(await world.left(), []);
  });
});
