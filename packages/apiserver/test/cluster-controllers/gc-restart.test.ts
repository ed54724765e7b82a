import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerReferenceTo } from '@perigee/api/values/owner-references';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { blocking, openWorld, setUpCollector } from './collector-fixture.ts';

const at = (name: string) => ({ name, namespace: 'a' });

test('a collector takes up what it finds', async () => {
  const store = createMemoryStore();
  const { client, clock } = await openWorld({ store });
  const create = (name: string, owners = {}) =>
    client.create(ConfigMap, { metadata: { ...at(name), ...owners } });
  const foreground = await create('foreground');
  await create('held', { ownerReferences: [blocking(foreground)] });
  const orphaning = await create('orphaning');
  await create('orphan', { ownerReferences: [ownerReferenceTo(orphaning)] });
  const gone = await create('gone');
  await create('left-behind', { ownerReferences: [ownerReferenceTo(gone)] });
  await create('stays');
  await client.delete(ConfigMap, at('foreground'), { propagationPolicy: 'Foreground' });
  await client.delete(ConfigMap, at('orphaning'), { propagationPolicy: 'Orphan' });
  await client.delete(ConfigMap, at('gone'));
  await using world = await setUpCollector({ store, clock });
  assert.deepEqual(await world.left(), ['orphan', 'stays']);
});

test('an owner waits for dependents that were there before the collector', async () => {
  const store = createMemoryStore();
  const { client, clock } = await openWorld({ store });
  const create = (name: string, more = {}) =>
    client.create(ConfigMap, { metadata: { ...at(name), ...more } });
  // The owner is found first, and the dependent long after it.
  const owner = await create('a-owner');
  await Promise.all(Array.from({ length: 250 }, (_, n) => create(`m${n}`)));
  await create('z-child', {
    ownerReferences: [blocking(owner)],
    finalizers: ['example.com/hold'],
  });
  await client.delete(ConfigMap, at('a-owner'), { propagationPolicy: 'Foreground' });
  await using world = await setUpCollector({ store, clock });
  await world.settle();
  assert.ok(await world.find(ConfigMap, 'a-owner', 'a'));
  await world.setFinalizers('z-child', []);
  await world.settle();
  assert.equal(await world.find(ConfigMap, 'a-owner', 'a'), undefined);
});

test('a collector that missed changes takes stock anew', async () => {
  const store = createMemoryStore({ backlog: { events: 2 } });
  await using world = await setUpCollector({ store });
  const owner = await world.add('owner');
  await Promise.all(Array.from({ length: 50 }, (_, n) => world.add(`d${n}`, [blocking(owner)])));
  await world.end('owner', 'Foreground');
  assert.deepEqual(await world.left(), []);
});

test('a collector that was stopped does nothing more', async () => {
  const store = createMemoryStore();
  const world = await setUpCollector({ store });
  await world[Symbol.asyncDispose]();
  const owner = await world.add('owner');
  await world.add('child', [ownerReferenceTo(owner)]);
  await world.end('owner', 'Background');
  assert.deepEqual(await world.left(), ['child < owner']);
  await store[Symbol.asyncDispose]();
});
