import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNotServed } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { createObject } from '../../src/registry/create.ts';
import { widgetCrd, widgetVersion } from '../crd/widget-crd.ts';
import { at, refused } from '../registry/registry-fixture.ts';
import { setUpCrds, WIDGETS, Widget } from './crd-fixture.ts';

test('a definition goes after its objects, and the watches on them end', {
  timeout: 10_000,
}, async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.makeWidget('x');
  await api.makeWidget('held', { finalizers: ['example.com/hold'] });
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { type, object } of api.client.watch(Widget)) {
      seen.push(`${type} ${object.metadata.name}`);
    }
  })();
  await api.client.delete(CustomResourceDefinition, WIDGETS);
  await api.settle();
  assert.equal((await api.conditions())[2], 'Terminating=True InstanceDeletionInProgress');
  await assert.rejects(api.makeWidget('late'), refused(405, 'MethodNotAllowed'));
  const { items } = await api.client.list(Widget);
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['held'],
  );
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  await api.client.patch(Widget, at('held'), release);
  await api.clock.advance(500);
  await assert.rejects(api.conditions(), refused(404, 'NotFound'));
  await assert.rejects(api.client.list(Widget), isNotServed);
  await watching;
  assert.deepEqual(seen, ['ADDED held', 'ADDED x', 'MODIFIED held', 'DELETED x', 'DELETED held']);
  assert.deepEqual(api.registry.store.tables('root/example.com/'), []);
  const served = await api.client.discover();
  assert.ok(!served.some(({ group }) => group === 'example.com'));
});

test('no object comes into being while its definition goes, whatever the way', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  const resource = api.registry.resources.find(Widget);
  assert.ok(resource);
  const body = { metadata: at('late') };
  const createLate = () => createObject(api.registry, resource, { namespace: 'a', body });
  await api.makeWidget('held', { finalizers: ['example.com/hold'] });
  await api.client.delete(CustomResourceDefinition, WIDGETS);
  await api.settle();
  await assert.rejects(createLate(), refused(405, 'MethodNotAllowed'));
  const apply = { type: 'apply', body, fieldManager: 'me' } as const;
  const applied = api.client.patch(Widget, at('late'), apply);
  await assert.rejects(applied, refused(405, 'MethodNotAllowed'));
  const release = { type: 'merge', body: { metadata: { finalizers: null } } } as const;
  await api.client.patch(Widget, at('held'), release);
  await api.clock.advance(500);
  await assert.rejects(createLate(), refused(404, 'NotFound'));
  assert.deepEqual(api.registry.store.tables('root/example.com/'), []);
});

test('objects of a version that is not served go too', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.makeWidget('x');
  await api.change({ versions: [widgetVersion({ served: false })] });
  await api.client.delete(CustomResourceDefinition, WIDGETS);
  await api.settle();
  await assert.rejects(api.conditions(), refused(404, 'NotFound'));
  assert.deepEqual(api.registry.store.tables('root/example.com/'), []);
});

test('a definition that comes again begins without objects', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.makeWidget('x');
  await api.client.delete(CustomResourceDefinition, WIDGETS);
  await api.settle();
  await api.define(widgetCrd());
  assert.deepEqual((await api.client.list(Widget)).items, []);
  await api.makeWidget('x');
});

test('the finalizers of others keep a definition, without its objects', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd({}, { metadata: { ...WIDGETS, finalizers: ['example.com/hold'] } }));
  await api.makeWidget('x');
  await api.client.delete(CustomResourceDefinition, WIDGETS);
  await api.settle();
  const { metadata } = await api.client.get(CustomResourceDefinition, WIDGETS);
  assert.deepEqual(metadata.finalizers, ['example.com/hold']);
  await assert.rejects(api.client.list(Widget), isNotServed);
});

test('what cannot be written at the first try is tried again', async () => {
  await using api = await setUpCrds();
  const { store } = api.registry;
  const { write } = store;
  let failures = 0;
  await api.define(widgetCrd());
  await api.makeWidget('x');
  await api.client.delete(CustomResourceDefinition, WIDGETS);
  store.write = (...args) => {
    if (failures++ > 0) return write.apply(store, args);
    return Promise.reject(new Error('the disk is full'));
  };
  await api.clock.advance(60_000);
  assert.ok(failures > 1);
  await assert.rejects(api.conditions(), refused(404, 'NotFound'));
  assert.match(api.lines.join(''), /the disk is full/);
});
