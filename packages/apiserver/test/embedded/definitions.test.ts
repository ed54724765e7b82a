import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { widgetCrd } from '../crd/widget-crd.ts';
import { CRDS, conditionsOf, startServer } from './embedded-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'perigee-embedded-'));
after(() => rmSync(folder, { recursive: true }));

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const WIDGET_CRD = `${CRDS}/widgets.example.com`;
const widget: JsonObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'x' },
  spec: { size: 3 },
};

type Server = Awaited<ReturnType<typeof startServer>>;

const define = async ({ send, until }: Server) => {
  assert.equal((await send('POST', CRDS, widgetCrd())).code, 201);
  await until(WIDGET_CRD, ({ body }) => conditionsOf(body).includes('Established=True'));
};

test('a definition that comes over HTTP is served and described, until it goes', async () => {
  await using api = await startServer();
  assert.equal((await api.send('POST', WIDGETS, widget)).code, 404);
  await define(api);
  assert.equal((await api.send('POST', WIDGETS, widget)).code, 201);
  const { body: resources } = await api.send('GET', '/apis/example.com/v1');
  assert.deepEqual(
    (resources.resources as JsonObject[]).map(({ name }) => name),
    ['widgets'],
  );
  const { body: openApi } = await api.send('GET', '/openapi/v3/apis/example.com/v1');
  assert.ok((openApi.paths as JsonObject)['/apis/example.com/v1/widgets']);

  const watch = await fetch(`${api.url}${WIDGETS}?watch=true`);
  const events = watch.text();
  assert.equal((await api.send('DELETE', WIDGET_CRD)).code, 200);
  await api.until(WIDGET_CRD, ({ code }) => code === 404);
  assert.deepEqual(
    (await events)
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type),
    ['ADDED', 'DELETED'],
  );
  assert.equal((await api.send('GET', WIDGETS)).code, 404);
  const { body: groups } = await api.send('GET', '/apis');
  assert.ok(!(groups.groups as JsonObject[]).some(({ name }) => name === 'example.com'));
});

test('a server that starts again serves at once what it had', async () => {
  const dataFolder = join(folder, 'restart');
  {
    await using api = await startServer({ dataFolder });
    await define(api);
    await api.send('POST', WIDGETS, widget);
  }
  await using api = await startServer({ dataFolder });
  const { code, body } = await api.send('GET', `${WIDGETS}/x`);
  assert.equal(code, 200);
  assert.deepEqual(body.spec, { size: 3 });
});

test('the end of a definition that was interrupted goes on', async () => {
  const dataFolder = join(folder, 'interrupted');
  const held = { ...widget, metadata: { name: 'x', finalizers: ['example.com/hold'] } };
  {
    await using api = await startServer({ dataFolder });
    await define(api);
    await api.send('POST', WIDGETS, held);
    await api.send('DELETE', WIDGET_CRD);
    await api.until(WIDGET_CRD, ({ body }) => conditionsOf(body).includes('Terminating=True'));
  }
  await using api = await startServer({ dataFolder });
  assert.equal((await api.send('POST', WIDGETS, widget)).code, 405);
  const release = { metadata: { finalizers: null } };
  const type = 'application/merge-patch+json';
  assert.equal((await api.send('PATCH', `${WIDGETS}/x`, release, type)).code, 200);
  await api.until(WIDGET_CRD, ({ code }) => code === 404);
});
