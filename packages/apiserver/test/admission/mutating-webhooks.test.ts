import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import {
  CONFIG_MAP_RULE,
  CONFIG_MAPS,
  configMap,
  MUTATING,
  patchOf,
  reviewed,
  startWithWebhook,
} from './admission-fixture.ts';

const addLetter = (letter: string) => (review: JsonObject) => {
  const { object } = review.request as { object: JsonObject };
  const { letters = '' } = (object.data ?? {}) as { letters?: string };
  const value = `${letters}${letter}`;
  return reviewed(review, patchOf({ op: 'add', path: '/data/letters', value }));
};

test('a webhook changes what is created, updated, patched and applied', async () => {
  await using api = await startWithWebhook(addLetter('a'));
  await api.configure(MUTATING, {});
  const created = await api.send('POST', CONFIG_MAPS, configMap('one', { x: '1' }));
  assert.equal(created.code, 201);
  assert.deepEqual(created.body.data, { x: '1', letters: 'a' });
  const path = `${CONFIG_MAPS}/one`;
  const updated = await api.send('PUT', path, configMap('one', { x: '2' }));
  assert.deepEqual(updated.body.data, { x: '2', letters: 'a' });
  const patched = await api.send(
    'PATCH',
    path,
    { data: { x: '3' } },
    'application/merge-patch+json',
  );
  assert.deepEqual(patched.body.data, { x: '3', letters: 'aa' });
  const applied = await api.send(
    'PATCH',
    `${CONFIG_MAPS}/two?fieldManager=me`,
    configMap('two', { x: '4' }),
    'application/apply-patch+yaml',
  );
  assert.equal(applied.code, 201);
  assert.deepEqual(applied.body.data, { x: '4', letters: 'a' });
  const { body } = await api.send('GET', path);
  assert.deepEqual(body.data, { x: '3', letters: 'aa' });
  assert.deepEqual(
    api.requests().map(({ operation }) => operation),
    ['CREATE', 'UPDATE', 'UPDATE', 'CREATE'],
  );
});

test('a webhook gets a whole review', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  await api.configure(MUTATING, {});
  await api.send('POST', `${CONFIG_MAPS}?fieldManager=me`, configMap('one', { x: '1' }));
  const body: JsonObject = api.webhook.calls[0]?.body ?? {};
  assert.equal(body.apiVersion, 'admission.k8s.io/v1');
  assert.equal(body.kind, 'AdmissionReview');
  const { uid, object, ...request } = body.request as JsonObject;
  assert.match(String(uid), /^[0-9a-f-]{36}$/);
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  assert.deepEqual(request, {
    kind,
    resource,
    requestKind: kind,
    requestResource: resource,
    name: 'one',
    namespace: 'default',
    operation: 'CREATE',
    userInfo: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    oldObject: null,
    dryRun: false,
    options: {
      kind: 'CreateOptions',
      apiVersion: 'meta.k8s.io/v1',
      fieldManager: 'me',
      fieldValidation: 'Warn',
    },
  });
  const { metadata, data } = object as { metadata: JsonObject; data: JsonObject };
  assert.deepEqual(data, { x: '1' });
  assert.deepEqual(Object.keys(metadata).sort(), ['managedFields', 'name', 'namespace']);
});

test('webhooks are called one after the other, and again if they want to see what others changed', async () => {
  await using api = await startWithWebhook((review) => addLetter('a')(review));
  const path = (letter: string) => ({
    clientConfig: {
      ...(api.hook().clientConfig as JsonObject),
      url: `${api.webhook.url}/${letter}`,
    },
  });
  await api.configure(
    MUTATING,
    { ...path('first'), name: 'first.example.com', reinvocationPolicy: 'IfNeeded' },
    { ...path('second'), name: 'second.example.com' },
  );
  const created = await api.send('POST', CONFIG_MAPS, configMap('one', { x: '1' }));
  assert.deepEqual(created.body.data, { x: '1', letters: 'aaa' });
  assert.deepEqual(
    api.webhook.calls.map((call) => call.path.split('?')[0]?.split('/').at(-1)),
    ['first', 'second', 'first'],
  );
});

test('the name that the server makes up comes after the webhooks', async () => {
  await using api = await startWithWebhook((review) =>
    reviewed(review, patchOf({ op: 'add', path: '/metadata/labels', value: { seen: 'yes' } })),
  );
  await api.configure(MUTATING, {});
  const body = configMap('', {}, { generateName: 'made-' });
  const { metadata } = (await api.send('POST', CONFIG_MAPS, body)).body as { metadata: JsonObject };
  assert.match(String(metadata.name), /^made-[a-z0-9]{5}$/);
  assert.deepEqual(metadata.labels, { seen: 'yes' });
  const [request = {}] = api.requests();
  assert.equal(request.name, undefined);
  assert.equal((request.object as { metadata: JsonObject }).metadata.name, undefined);
});

test('a deletion shows what goes, and cannot be changed', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  await api.send('POST', CONFIG_MAPS, configMap('one'));
  await api.configure(MUTATING, {});
  api.webhook.hook.answer = (review) =>
    reviewed(review, patchOf({ op: 'add', path: '/data/x', value: '1' }));
  const path = `${CONFIG_MAPS}/one`;
  const refused = await api.send('DELETE', path);
  assert.equal(refused.code, 500);
  assert.equal(
    refused.body.message,
    'Internal error occurred: admission webhook "one.example.com" attempted to modify the object, which is not supported for this operation',
  );
  api.webhook.hook.answer = (review) => reviewed(review);
  assert.equal((await api.send('DELETE', path)).code, 200);
  const request = api.requests().at(-1) ?? {};
  assert.equal(request.operation, 'DELETE');
  assert.equal(request.object, null);
  assert.equal((request.oldObject as { metadata: JsonObject }).metadata.name, 'one');
});

test('what somebody else writes while a webhook thinks is not overwritten', async () => {
  await using api = await startWithWebhook((review) => reviewed(review));
  await api.send('POST', CONFIG_MAPS, configMap('one', { x: '1' }));
  await api.configure(MUTATING, { rules: [{ ...CONFIG_MAP_RULE, operations: ['UPDATE'] }] });
  const path = `${CONFIG_MAPS}/one`;
  const merge = 'application/merge-patch+json';
  let isFirst = true;
  api.webhook.hook.answer = async (review) => {
    if (isFirst) {
      isFirst = false;
      await api.send('PATCH', path, { data: { other: 'yes' } }, merge);
    }
    return reviewed(review);
  };
  const { code, body } = await api.send('PATCH', path, { data: { mine: 'yes' } }, merge);
  assert.equal(code, 200);
  assert.deepEqual(body.data, { x: '1', other: 'yes', mine: 'yes' });
});
