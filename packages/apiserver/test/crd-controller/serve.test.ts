import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNotServed } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import type { JsonObject } from '@perigee/schema/json';
import { widgetCrd, widgetVersion } from '../crd/widget-crd.ts';
import { at } from '../registry/registry-fixture.ts';
import { setUpCrds, WIDGETS, Widget } from './crd-fixture.ts';

const specSchema = (properties: JsonObject): JsonObject => ({
  openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } },
});

test('a definition is accepted, and its kind can be used', async () => {
  await using api = await setUpCrds();
  await assert.rejects(api.client.list(Widget), isNotServed);
  await api.define(widgetCrd());
  assert.deepEqual(await api.conditions(), [
    'NamesAccepted=True NoConflicts',
    'Established=True InitialNamesAccepted',
  ]);
  const { status, metadata } = await api.client.get(CustomResourceDefinition, WIDGETS);
  assert.deepEqual(status?.acceptedNames, {
    plural: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    listKind: 'WidgetList',
  });
  assert.deepEqual(status?.storedVersions, ['v1']);
  assert.equal(metadata.generation, 1);
  assert.equal((await api.makeWidget('x')).apiVersion, 'example.com/v1');
  assert.deepEqual(api.lines, []);
});

test('who reads that a definition is established can use it at that moment', async () => {
  await using api = await setUpCrds();
  const used = (async () => {
    for await (const { type, object } of api.client.watch(CustomResourceDefinition)) {
      if (type === 'BOOKMARK' || !Array.isArray(object.status?.conditions)) continue;
      return api.makeWidget('x');
    }
    return undefined;
  })();
  await api.define(widgetCrd());
  assert.equal((await used)?.metadata.name, 'x');
});

test('a new schema holds for the next write, and for the reading of what exists', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.makeWidget('x');
  const size = { type: 'integer', maximum: 5 };
  const schema = specSchema({ size, colour: { type: 'string', default: 'red' } });
  await api.change({ versions: [widgetVersion({ schema })] });
  assert.deepEqual((await api.client.get(Widget, at('x'))).spec, { size: 1, colour: 'red' });
  const tooLarge = { type: 'merge', body: { spec: { size: 6 } } } as const;
  await assert.rejects(api.client.patch(Widget, at('x'), tooLarge), /should be less than or equal/);
});

test('versions come and go', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  await api.makeWidget('x');
  const v2 = { ...Widget, version: 'v2' };
  const two = [widgetVersion({ storage: false }), widgetVersion({ name: 'v2' })];
  await api.change({ versions: two });
  assert.equal((await api.client.get(v2, at('x'))).apiVersion, 'example.com/v2');
  const { status } = await api.client.get(CustomResourceDefinition, WIDGETS);
  assert.deepEqual(status?.storedVersions, ['v1', 'v2']);
  await api.change({
    versions: [widgetVersion({ storage: false, served: false }), widgetVersion({ name: 'v2' })],
  });
  await assert.rejects(api.client.get(Widget, at('x')), isNotServed);
  assert.equal((await api.client.get(v2, at('x'))).metadata.name, 'x');
});

test('what a definition says in vain about its status is not what is stored', async () => {
  await using api = await setUpCrds();
  const status = { conditions: [{ type: 'Established', status: 'True' }], storedVersions: ['v9'] };
  const created = await api.define(widgetCrd({}, { status }));
  assert.deepEqual(created.status, {
    acceptedNames: { kind: '', plural: '' },
    conditions: null,
    storedVersions: ['v1'],
  });
});

test('a change of the status alone does not describe the API anew', async () => {
  await using api = await setUpCrds();
  await api.define(widgetCrd());
  const { generation } = api.registry.resources;
  const label = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
  await api.client.patch(CustomResourceDefinition, WIDGETS, label);
  await api.settle();
  assert.equal(api.registry.resources.generation, generation);
});

test('a definition does not take the place of a built-in kind', async () => {
  await using api = await setUpCrds();
  const before = api.registry.resources.find(CustomResourceDefinition);
  await api.define(
    widgetCrd(
      {
        group: 'apiextensions.k8s.io',
        names: { plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition' },
      },
      {
        metadata: {
          name: 'customresourcedefinitions.apiextensions.k8s.io',
          annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
        },
      },
    ),
  );
  assert.equal(api.registry.resources.find(CustomResourceDefinition), before);
});
