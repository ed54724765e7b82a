import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { CONFIG_MAPS, serveApi, WIDGETS, widgetBody } from './http-fixture.ts';

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** Sends a path as it is, which `fetch` would tidy up first. */
const codeOf = (url: string, method: string, path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, method, path }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

test('dots and empty parts of a path never make one object all objects', async () => {
  await using api = await serveApi();
  await api.send('POST', WIDGETS, widgetBody('x'));
  const code = (method: string, path: string) => codeOf(api.server.url, method, path);
  for (const tail of ['/.', '/%2e', '//', '/..%2fwidgets']) {
    assert.equal(await code('DELETE', WIDGETS + tail), 404, tail);
  }
  assert.equal(await code('DELETE', `${WIDGETS}/x/../../widgets`), 404);
  assert.equal(await code('GET', WIDGETS.replace('/widgets', '//widgets/x')), 404);
  assert.equal(await code('GET', `${WIDGETS}/%zz`), 404);
  assert.equal(await code('GET', `${WIDGETS}%2Fx`), 200);
  assert.equal(await code('GET', `${WIDGETS}/x/`), 200);
  assert.equal(await code('GET', `http://localhost${WIDGETS}/x`), 200);
});

test('an object of a namespace is not found outside of one, and HEAD is no verb', async () => {
  await using api = await serveApi();
  await api.send('POST', WIDGETS, widgetBody('x'));
  const outside = '/apis/shop.example.com/v1/widgets';
  assert.equal((await api.call('GET', `${outside}/x`)).code, 404);
  assert.equal((await api.send('POST', outside, widgetBody('y'))).code, 405);
  assert.equal((await api.call('HEAD', `${WIDGETS}/x`)).code, 405);
  assert.equal((await api.call('HEAD', '/version')).code, 200);
});

test('a selector may be as long as it has to', async () => {
  await using api = await serveApi();
  await api.send('POST', WIDGETS, widgetBody('x'));
  const values = Array.from({ length: 20_000 }, (_, index) => `v${index}`).join();
  const list = await api.call('GET', `${WIDGETS}?labelSelector=a in (${values})`);
  assert.equal(list.code, 200);
  assert.deepEqual(list.body.items, []);
});

test('flags are read as Go reads them, also in the spelling of Python', async () => {
  await using api = await serveApi();
  const list = await api.call('GET', `${WIDGETS}?watch=False`);
  assert.equal(list.body.kind, 'WidgetList');
});

test('options that make no sense for the verb are refused', async () => {
  await using api = await serveApi();
  await api.send('POST', WIDGETS, widgetBody('x'));
  const message = async (answer: ReturnType<typeof api.call>) => {
    const { code, body } = await answer;
    return `${code} ${body.message}`;
  };
  const long = `${WIDGETS}?fieldManager=${'m'.repeat(129)}`;
  assert.equal(
    await message(api.send('POST', long, widgetBody('y'))),
    '422 CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
  );
  assert.equal(
    await message(api.send('PATCH', `${WIDGETS}/x?fieldManager=a%01`, {}, MERGE)),
    '422 PatchOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\x01": invalid character U+0001 (at position 1)',
  );
  assert.equal(
    await message(api.send('PATCH', `${WIDGETS}/x?force=true`, {}, MERGE)),
    '422 PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
  );
  assert.equal(
    await message(api.call('GET', `${WIDGETS}?sendInitialEvents=true`)),
    '422 ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
  );
  assert.equal(
    await message(api.send('POST', `${WIDGETS}?dryRun=foo`, widgetBody('y'))),
    '422 CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["foo"]: supported values: "All"',
  );
  assert.match(
    await message(api.send('PATCH', `${WIDGETS}/x?fieldManager=m`, '{}', APPLY)),
    /^400 invalid object type/,
  );
});

test('a deletion takes null for nothing, and refuses what it cannot read', async () => {
  await using api = await serveApi();
  const path = `${CONFIG_MAPS}/x`;
  await api.send('POST', CONFIG_MAPS, { metadata: { name: 'x' } });
  const remove = (options: JsonObject) => api.send('DELETE', path, options);
  assert.equal((await remove({ preconditions: { uid: 5 } })).code, 400);
  assert.equal((await remove({ preconditions: 'x' })).code, 400);
  const both = await remove({ propagationPolicy: 'Orphan', orphanDependents: true });
  assert.equal(both.code, 422);
  assert.equal((await api.call('GET', path)).code, 200);
  const nothing = { gracePeriodSeconds: null, preconditions: { uid: null }, dryRun: null };
  assert.equal((await remove(nothing)).code, 200);
  assert.equal((await api.call('GET', path)).code, 404);
});

test('a name that no object can have is not found, and cannot be applied', async () => {
  await using api = await serveApi();
  const path = `${CONFIG_MAPS}/${'x'.repeat(2000)}`;
  assert.equal((await api.call('GET', path)).code, 404);
  assert.equal((await api.call('DELETE', path)).code, 404);
  assert.equal((await api.send('PATCH', path, {}, MERGE)).code, 404);
  const config = { apiVersion: 'v1', kind: 'ConfigMap' };
  assert.equal((await api.send('PATCH', `${path}?fieldManager=m`, config, APPLY)).code, 422);
});
