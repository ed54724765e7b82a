import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WrittenObject } from '@perigee/api/meta/resource-kind';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import { isConflict, isNotFound } from '../../src/errors.ts';
import { startFixture } from '../support/tls-api-server-fixture.ts';

const prefix = '/clusters/member1';
const a = { name: 'a', namespace: 'default' };
const written = (data: object, metadata: object = a): WrittenObject =>
  ({ metadata, data }) as WrittenObject;

test('an object is created, read, replaced and deleted, under a path prefix', async () => {
  await using f = await startFixture({ server: { prefix } });
  const { client } = f;
  const created = await client.create(ConfigMap, written({ x: '1' }));
  assert.equal(created.kind, 'ConfigMap');
  assert.deepEqual(await client.get(ConfigMap, a), created);
  const updated = await client.update(ConfigMap, { ...created, data: { x: '2' } } as WrittenObject);
  assert.notEqual(updated.metadata.resourceVersion, created.metadata.resourceVersion);
  await assert.rejects(client.update(ConfigMap, created), isConflict);
  await client.delete(ConfigMap, a);
  await assert.rejects(client.get(ConfigMap, a), isNotFound);
  assert.deepEqual(
    f.server.requests.map(({ method, path, httpVersion }) => `${method} ${path} ${httpVersion}`),
    [
      'POST /api/v1/namespaces/default/configmaps 1.1',
      'GET /api/v1/namespaces/default/configmaps/a 1.1',
      'PUT /api/v1/namespaces/default/configmaps/a 1.1',
      'PUT /api/v1/namespaces/default/configmaps/a 1.1',
      'DELETE /api/v1/namespaces/default/configmaps/a 1.1',
      'GET /api/v1/namespaces/default/configmaps/a 1.1',
    ],
  );
});

test('what is written says its kind and version even if the caller does not', async () => {
  await using f = await startFixture();
  await f.client.create(ClusterRole, { metadata: { name: 'r' } });
  await f.client.patch(ClusterRole, { name: 'r' }, { type: 'apply', fieldManager: 'm', body: {} });
  for (const { body } of f.server.requests) {
    const { apiVersion, kind } = JSON.parse(body);
    assert.deepEqual(
      { apiVersion, kind },
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
    );
  }
});

test('what a scale subresource gets is a Scale', async () => {
  await using f = await startFixture();
  f.server.faults.add({ type: 'answer', code: 200, body: '{}' });
  await f.client.update(ConfigMap, written({}), { subresource: 'scale' });
  const { body = '', path } = f.server.requests[0] ?? {};
  assert.equal(path, '/api/v1/namespaces/default/configmaps/a/scale');
  assert.equal(JSON.parse(body).apiVersion, 'autoscaling/v1');
  assert.equal(JSON.parse(body).kind, 'Scale');
});

test('each kind of patch goes with its content type', async () => {
  await using f = await startFixture();
  await f.client.create(ConfigMap, written({ x: '1' }));
  await f.client.patch(ConfigMap, a, {
    type: 'json',
    operations: [{ op: 'replace', path: '/data/x', value: '2' }],
  });
  await f.client.patch(ConfigMap, a, { type: 'merge', body: { data: { y: '3' } } });
  await f.client.patch(ConfigMap, a, { type: 'strategic', body: { data: { z: '4' } } });
  const applied = await f.client.patch(ConfigMap, a, {
    type: 'apply',
    fieldManager: 'me',
    force: true,
    body: { data: { w: '5' } },
  });
  assert.deepEqual((applied as unknown as { data: object }).data, {
    x: '2',
    y: '3',
    z: '4',
    w: '5',
  });
  assert.deepEqual(
    f.server.requests
      .slice(1)
      .map(({ headers, query }) => [headers['content-type'], String(query)]),
    [
      ['application/json-patch+json', ''],
      ['application/merge-patch+json', ''],
      ['application/strategic-merge-patch+json', ''],
      ['application/apply-patch+yaml', 'fieldManager=me&force=true'],
    ],
  );
});

test('options of a write reach the server', async () => {
  await using f = await startFixture();
  await f.client.create(ConfigMap, written({}), {
    dryRun: true,
    fieldManager: 'me',
    fieldValidation: 'Strict',
  });
  assert.equal(
    String(f.server.requests[0]?.query),
    'dryRun=All&fieldManager=me&fieldValidation=Strict',
  );
  await assert.rejects(f.client.get(ConfigMap, a), isNotFound);
  await f.client.create(ConfigMap, written({}));
  await f.client.patch(
    ConfigMap,
    a,
    { type: 'merge', body: { status: { on: true } } },
    { subresource: 'status' },
  );
  assert.equal(f.server.requests.at(-1)?.path, '/api/v1/namespaces/default/configmaps/a/status');
  await f.client.delete(ConfigMap, a, {
    dryRun: true,
    gracePeriodSeconds: 0,
    propagationPolicy: 'Foreground',
    preconditions: { uid: (await f.client.get(ConfigMap, a)).metadata.uid },
  });
  const { dryRun, gracePeriodSeconds, propagationPolicy } = JSON.parse(
    f.server.requests.at(-1)?.body ?? '',
  );
  assert.deepEqual(
    { dryRun, gracePeriodSeconds, propagationPolicy },
    {
      dryRun: ['All'],
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
    },
  );
  assert.ok(await f.client.get(ConfigMap, a));
});

test('lists and deletions of many select by label, field and namespace', async () => {
  await using f = await startFixture();
  for (const name of ['x', 'y', 'z']) {
    await f.direct.create(ConfigMap, {
      metadata: { name, namespace: name === 'z' ? 'other' : 'default', labels: { name } },
    });
  }
  const names = async (options: object) =>
    (await f.client.list(ConfigMap, options)).items.map(({ metadata }) => metadata.name);
  assert.deepEqual(await names({}), ['x', 'y', 'z']);
  assert.deepEqual(await names({ namespace: 'other' }), ['z']);
  assert.deepEqual(await names({ labelSelector: 'name in (x, z)' }), ['x', 'z']);
  assert.deepEqual(await names({ fieldSelector: 'metadata.name!=x', namespace: 'default' }), ['y']);
  await f.client.deleteCollection(ConfigMap, { namespace: 'default', labelSelector: 'name=x' });
  assert.deepEqual(await names({}), ['y', 'z']);
});

test('items of a list say their kind even if the server leaves it out', async () => {
  await using f = await startFixture();
  const body = JSON.stringify({
    metadata: { resourceVersion: '7' },
    items: [{ metadata: { name: 'r' } }],
  });
  f.server.faults.add({ type: 'answer', code: 200, body });
  assert.deepEqual(await f.client.list(ClusterRole), {
    metadata: { resourceVersion: '7' },
    items: [
      { metadata: { name: 'r' }, apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' },
    ],
  });
});

test('names keep their capitals and odd characters', async () => {
  await using f = await startFixture({ server: { prefix } });
  const name = 'system:Node/é?x=1&y #%';
  f.server.faults.add({ type: 'answer', code: 200, body: '{"metadata":{}}' });
  await f.client.get(ClusterRole, { name });
  const path = f.server.requests[0]?.path ?? '';
  assert.equal(decodeURIComponent(path.split('/').at(-1) ?? ''), name);
  assert.equal(path.split('/').length, 6);
});

test('a name that would change what the request is about is refused and not sent', async () => {
  await using f = await startFixture();
  const { client } = f;
  for (const name of ['', '.', '..']) {
    await assert.rejects(client.get(ClusterRole, { name }), {
      name: 'TypeError',
      message: /cannot be the name of a ClusterRole/,
    });
    await assert.rejects(client.delete(ConfigMap, { name: 'a', namespace: name }), {
      name: 'TypeError',
    });
  }
  await assert.rejects(client.update(ClusterRole, { metadata: {} }), { name: 'TypeError' });
  await assert.rejects(client.get(ConfigMap, { name: 'a' }), {
    message: 'ConfigMap "a" lives in a namespace: say which',
  });
  await assert.rejects(client.create(ConfigMap, { metadata: { name: 'a' } }), {
    message: 'a new ConfigMap lives in a namespace: set metadata.namespace',
  });
  await assert.rejects(client.get(ClusterRole, { name: 'a', namespace: 'b' }), {
    message: 'ClusterRole does not live in a namespace: leave out "b"',
  });
  assert.equal(f.server.requests.length, 0);
});

test('the version of the server is told', async () => {
  await using f = await startFixture({ server: { prefix }, client: { userAgent: 'me/1' } });
  assert.equal((await f.client.version()).gitVersion, 'v1.36.0+memory');
  assert.equal(f.server.requests[0]?.headers['user-agent'], 'me/1');
});

test('warnings of the server reach the callback', async () => {
  const warnings: string[] = [];
  await using f = await startFixture({ client: { onWarning: (text) => warnings.push(text) } });
  const warning =
    '299 - "v1 ComponentStatus is deprecated", 299 - "say \\"please\\", twice", 199 - "not ours"';
  f.server.faults.add({ type: 'answer', code: 200, headers: { warning }, body: '{}' });
  await f.client.version();
  assert.deepEqual(warnings, ['v1 ComponentStatus is deprecated', 'say "please", twice']);
});
