import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { applyObject } from '../../src/registry/apply.ts';
import { createObject } from '../../src/registry/create.ts';
import { updateObject } from '../../src/registry/update.ts';
import { at, configMaps, Namespace, namespaces, refused, setUpApi } from './registry-fixture.ts';

const APPLY = { fieldManager: 'me' };

test('metadata that are null are left out, and null in a map is the empty string', async () => {
  const { registry } = await setUpApi();
  const metadata: JsonObject = {
    name: 'x',
    creationTimestamp: null,
    labels: null,
    annotations: { note: null },
    finalizers: null,
    ownerReferences: null,
    generation: null,
  };
  const created = await createObject(registry, configMaps, { body: { metadata }, namespace: 'a' });
  const { labels, annotations, finalizers } = created.metadata as JsonObject;
  assert.deepEqual([labels, annotations, finalizers], [undefined, { note: '' }, undefined]);
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { labels: null } };
  await applyObject(registry, configMaps, { ...APPLY, ...at('y'), config });
});

test('a namespace is dropped from what is in none, and links are of no meaning', async () => {
  const { registry, client } = await setUpApi();
  const body = { metadata: { name: 'n', namespace: 'elsewhere', selfLink: '/n' } };
  const created = await createObject(registry, namespaces, { body });
  assert.deepEqual(Object.keys(created.metadata as JsonObject).includes('namespace'), false);
  assert.deepEqual(Object.keys(created.metadata as JsonObject).includes('selfLink'), false);
  await updateObject(registry, namespaces, { name: 'n', body });
  const merge = { type: 'merge', body: { metadata: { namespace: 'b' } } } as const;
  await client.patch(Namespace, { name: 'n' }, merge);
  const config = { apiVersion: 'v1', kind: 'Namespace', ...body };
  await applyObject(registry, namespaces, { ...APPLY, name: 'n', config });
  const stored = await client.get(Namespace, { name: 'n' });
  assert.equal(stored.metadata.resourceVersion, (created.metadata as JsonObject).resourceVersion);
});

test('an apply that names a UID creates nothing in the place of what is gone', async () => {
  const { registry } = await setUpApi();
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { uid: 'gone' } };
  await assert.rejects(
    applyObject(registry, configMaps, { ...APPLY, ...at('x'), config }),
    refused(409, 'Conflict', /uid mismatch: the provided object specified uid gone/),
  );
});

test('metadata of the wrong type are refused', async () => {
  const { registry } = await setUpApi();
  for (const metadata of ['x', ['x'], { name: 'x', labels: ['a'] }, { name: 5 }]) {
    const body = { metadata } as JsonObject;
    await assert.rejects(
      createObject(registry, configMaps, { body, namespace: 'a' }),
      refused(400, 'BadRequest'),
    );
  }
});

test('a key that JavaScript knows is a label like any other', async () => {
  const { registry } = await setUpApi();
  const body = JSON.parse('{"metadata":{"name":"x","annotations":{"__proto__":null,"b":"c"}}}');
  await assert.rejects(
    createObject(registry, configMaps, { body, namespace: 'a' }),
    refused(422, 'Invalid', /metadata.annotations: Invalid value: "__proto__"/),
  );
});
