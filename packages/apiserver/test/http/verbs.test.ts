import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { forbidden } from '../../src/status/object-refusals.ts';
import { at, ConfigMap } from '../registry/registry-fixture.ts';
import { CONFIG_MAPS, serveApi, WIDGETS, widgetBody } from './http-fixture.ts';

const metaOf = (body: JsonObject) => body.metadata as JsonObject;

test('an object is created, read, replaced, patched, applied and deleted', async () => {
  await using api = await serveApi();
  const created = await api.send('POST', WIDGETS, widgetBody('x'));
  assert.equal(created.code, 201);
  assert.equal(created.headers.get('content-type'), 'application/json');
  const read = await api.call('GET', `${WIDGETS}/x`);
  assert.equal(read.code, 200);
  assert.deepEqual(read.body, created.body);
  const replaced = await api.send('PUT', `${WIDGETS}/x`, { ...read.body, spec: { size: 2 } });
  assert.equal(replaced.code, 200);
  const merge = { spec: { size: 3 } };
  const patched = await api.send('PATCH', `${WIDGETS}/x`, merge, 'application/merge-patch+json');
  assert.deepEqual(patched.body.spec, { size: 3, colour: 'red' });
  const yaml = 'apiVersion: shop.example.com/v1\nkind: Widget\nspec: {replicas: 4}\n';
  const apply = (name: string) =>
    api.send('PATCH', `${WIDGETS}/${name}?fieldManager=me`, yaml, 'application/apply-patch+yaml');
  assert.equal((await apply('x')).code, 200);
  assert.equal((await apply('new')).code, 201);
  const scale = await api.call('GET', `${WIDGETS}/x/scale`);
  assert.deepEqual(scale.body.spec, { replicas: 4 });
  const deleted = await api.call('DELETE', `${WIDGETS}/x`);
  assert.equal(deleted.code, 200);
  assert.deepEqual(deleted.body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: 'x',
      group: 'shop.example.com',
      kind: 'widgets',
      uid: metaOf(created.body).uid,
    },
  });
  assert.equal((await api.call('GET', `${WIDGETS}/x`)).code, 404);
});

test('a list comes as stored, as a table, as metadata, or as YAML', async () => {
  await using api = await serveApi();
  for (const name of ['x', 'y', 'z']) await api.send('POST', WIDGETS, widgetBody(name));
  const get = (accept: string, query = '') =>
    api.call('GET', WIDGETS + query, { headers: { accept } });
  const plain = await get('application/json');
  assert.equal(plain.body.kind, 'WidgetList');
  assert.equal(plain.body.apiVersion, 'shop.example.com/v1');
  const items = plain.body.items as JsonObject[];
  assert.deepEqual(
    items.map((item) => metaOf(item).name),
    ['x', 'y', 'z'],
  );
  const page = await get('application/json', '?limit=2');
  assert.equal(metaOf(page.body).remainingItemCount, 1);
  const table = await get('application/json;as=Table;v=v1;g=meta.k8s.io,application/json');
  assert.equal(table.body.kind, 'Table');
  const rows = table.body.rows as { cells: unknown[] }[];
  assert.deepEqual(
    rows.map(({ cells }) => cells.slice(0, 2)),
    [
      ['x', 1],
      ['y', 1],
      ['z', 1],
    ],
  );
  const partial = await get(
    'application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  );
  assert.equal(partial.body.kind, 'PartialObjectMetadataList');
  assert.equal((partial.body.items as JsonObject[])[0]?.spec, undefined);
  const yaml = await get('application/yaml');
  assert.match(yaml.text, /^apiVersion: shop\.example\.com\/v1\nitems:\n- apiVersion:/);
  assert.equal((await get('text/html')).code, 406);
});

test('a large list comes whole, packed when the client can unpack it', async () => {
  await using api = await serveApi();
  const text = 'é'.repeat(10_000);
  for (let index = 0; index < 60; index++) {
    await api.client.create(ConfigMap, { metadata: at(`m${index}`), data: { text } });
  }
  const plain = await api.call('GET', CONFIG_MAPS, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  const packed = await api.call('GET', CONFIG_MAPS, { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  assert.equal((plain.body.items as unknown[]).length, 60);
  assert.deepEqual(packed.body, plain.body);
});

test('a client that reads a large list slowly holds up nobody', async () => {
  await using api = await serveApi();
  const text = 'x'.repeat(500_000);
  const count = 60;
  for (let index = 0; index < count; index++) {
    await api.client.create(ConfigMap, { metadata: at(`m${index}`), data: { text } });
  }
  const slow = await fetch(api.server.url + CONFIG_MAPS);
  assert.equal((await api.call('GET', '/readyz')).text, 'ok');
  const { items } = (await slow.json()) as { items: unknown[] };
  assert.equal(items.length, count);
});

test('what cannot be answered is refused as kube-apiserver refuses it', async () => {
  await using api = await serveApi();
  const refusal = async (
    expected: number,
    reason: string,
    ...call: Parameters<typeof api.send>
  ) => {
    const { code, body } = await api.send(...call);
    assert.deepEqual([code, body.kind, body.reason], [expected, 'Status', reason]);
    return body;
  };
  const missing = await api.call('GET', `${WIDGETS}/none`);
  assert.equal(missing.body.message, 'widgets.shop.example.com "none" not found');
  const unknown = await api.call('GET', '/apis/none.example.com/v1');
  assert.equal(unknown.code, 404);
  assert.equal(unknown.headers.get('content-type'), 'text/plain; charset=utf-8');
  const gadgets = await api.send('POST', '/apis/shop.example.com/v1/namespaces/a/gadgets', {});
  assert.deepEqual([gadgets.code, gadgets.text], [404, '404 page not found\n']);
  await refusal(404, 'NotFound', 'POST', '/api/v1/namespaces/a/gadgets', {});
  await refusal(404, 'NotFound', 'POST', WIDGETS.replace('/a/', '/b/'), widgetBody('x'));
  await refusal(405, 'MethodNotAllowed', 'PUT', WIDGETS, widgetBody('x'));
  await refusal(405, 'MethodNotAllowed', 'POST', '/apis/shop.example.com/v1/widgets', {});
  await refusal(415, 'UnsupportedMediaType', 'POST', WIDGETS, 'x', 'text/plain');
  const strategic = 'application/strategic-merge-patch+json';
  await refusal(415, 'UnsupportedMediaType', 'PATCH', `${WIDGETS}/x`, {}, strategic);
  await refusal(400, 'BadRequest', 'POST', WIDGETS, '{"apiVersion":');
  await refusal(400, 'BadRequest', 'POST', WIDGETS, { ...widgetBody('x'), apiVersion: 'v1' });
  await refusal(422, 'Invalid', 'POST', `${WIDGETS}?dryRun=Some`, widgetBody('x'));
  await refusal(422, 'Invalid', 'POST', `${WIDGETS}?fieldValidation=Odd`, widgetBody('x'));
  await refusal(422, 'Invalid', 'POST', WIDGETS, widgetBody('x', { size: 0 }));
  const large = JSON.stringify({ ...widgetBody('x'), junk: 'x'.repeat(3 * 1024 * 1024) });
  await refusal(413, 'RequestEntityTooLarge', 'POST', WIDGETS, large);
  assert.equal((await api.call('GET', '/api/v1/configmaps')).code, 200, 'the server goes on');
});

test('unknown and repeated fields come back as warnings, or refuse the write when strict', async () => {
  await using api = await serveApi();
  const body =
    '{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"x"},"spec":{"size":1,"size":2,"odd":"ü"}}';
  const strict = await api.send('POST', `${WIDGETS}?fieldValidation=Strict`, body);
  assert.equal(strict.code, 400);
  assert.match(
    String(strict.body.message),
    /duplicate field "spec\.size", unknown field "spec\.odd"/,
  );
  const warned = await api.send('POST', WIDGETS, body);
  assert.equal(warned.code, 201);
  assert.equal(
    warned.headers.get('warning'),
    '299 - "duplicate field \\"spec.size\\"", 299 - "unknown field \\"spec.odd\\""',
  );
});

test('a deletion obeys its options, in the body or in the query', async () => {
  await using api = await serveApi();
  await api.send('POST', WIDGETS, widgetBody('x'));
  const dry = await api.call('DELETE', `${WIDGETS}/x?dryRun=All`);
  assert.equal(dry.code, 200);
  const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Foreground' };
  const held = await api.send('DELETE', `${WIDGETS}/x`, options);
  assert.equal(held.body.kind, 'Widget');
  assert.deepEqual(metaOf(held.body).finalizers, ['foregroundDeletion']);
  const uid = { preconditions: { uid: 'other' } };
  assert.equal((await api.send('DELETE', `${WIDGETS}/x`, uid)).code, 409);
  await api.send('POST', CONFIG_MAPS, { metadata: { name: 'm' } });
  const all = await api.call('DELETE', CONFIG_MAPS);
  assert.equal(all.body.kind, 'ConfigMapList');
  assert.equal((all.body.items as unknown[]).length, 1);
  const namespace = await api.call('DELETE', '/api/v1/namespaces/a');
  assert.equal(namespace.body.kind, 'Namespace', 'some kinds show what was deleted');
});

test('documents say what is served, and probes that all is well', async () => {
  await using api = await serveApi();
  assert.equal((await api.call('GET', '/version')).body.gitVersion, 'v1.36.0+test');
  for (const probe of ['/healthz', '/readyz', '/livez', '/readyz/ping']) {
    assert.equal((await api.call('GET', probe)).text, 'ok');
  }
  const groups = await api.call('GET', '/apis');
  assert.equal(groups.body.kind, 'APIGroupList');
  const etag = groups.headers.get('etag') ?? '';
  const again = await api.call('GET', '/apis', { headers: { 'if-none-match': etag } });
  assert.equal(again.code, 304);
  const openApi = await api.call('GET', '/openapi/v3');
  const path = 'apis/shop.example.com/v1';
  const { serverRelativeURL } = (openApi.body.paths as { [path: string]: JsonObject })[path] ?? {};
  assert.equal((await api.call('GET', String(serverRelativeURL))).code, 200);
  api.registry.resources.withdraw({ group: 'shop.example.com', version: 'v1', plural: 'widgets' });
  assert.deepEqual((await api.call('GET', '/apis')).body.groups, []);
  assert.equal((await api.call('GET', WIDGETS)).code, 404);
});

test('whoever is not allowed gets nowhere', async () => {
  const attempts: string[] = [];
  await using api = await serveApi({
    api: {
      authorize: ({ verb, path, target }) => {
        attempts.push(`${verb} ${target?.plural ?? path}`);
        if (verb === 'create') throw forbidden({ group: '', plural: 'configmaps' }, '', 'no');
      },
    },
  });
  assert.equal((await api.send('POST', CONFIG_MAPS, { metadata: { name: 'm' } })).code, 403);
  assert.equal((await api.call('GET', `${CONFIG_MAPS}/m`)).code, 404);
  await api.call('GET', '/version');
  await api.call('DELETE', CONFIG_MAPS);
  assert.deepEqual(attempts, [
    'create configmaps',
    'get configmaps',
    'get /version',
    'deletecollection configmaps',
  ]);
});
