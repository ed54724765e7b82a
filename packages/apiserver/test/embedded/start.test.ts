import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { ConfigError } from '@perigee/kube/errors';
import type { JsonObject } from '@perigee/schema/json';
import type { Attempt } from '../../src/http/served-api.ts';
import { forbidden } from '../../src/status/object-refusals.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { CRDS, conditionsOf, startServer } from './embedded-fixture.ts';

const DATA_SOURCES = '/apis/datadependency.volcano.sh/v1alpha1/datasources';
const ACCOUNTS = 'root//serviceaccounts';
const DATA_SOURCE_TABLE = 'root/datadependency.volcano.sh/datasources';

const dataSource = (name: string, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'datadependency.volcano.sh/v1alpha1',
  kind: 'DataSource',
  metadata: { name, ...metadata },
  spec: { system: 's3', type: 'bucket', name, locality: { clusterNames: [] } },
});

const namesOf = ({ items }: JsonObject) =>
  (items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);

test('a new server has the namespaces of a cluster and all kinds of the language', async () => {
  await using api = await startServer();
  const namespaces = await api.send('GET', '/api/v1/namespaces');
  assert.deepEqual(namesOf(namespaces.body), [
    'default',
    'kube-node-lease',
    'kube-public',
    'kube-system',
  ]);
  const { body } = await api.send('GET', CRDS);
  const names = allKinds.map(({ plural, group }) => `${plural}.${group}`);
  assert.deepEqual(namesOf(body), names.sort());
  for (const crd of body.items as JsonObject[]) {
    assert.deepEqual(conditionsOf(crd), ['NamesAccepted=True', 'Established=True']);
  }
  for (const kind of allKinds) {
    const list = await api.send('GET', `/apis/${apiVersionOf(kind)}/${kind.plural}`);
    assert.equal(list.body.kind, `${kind.kind}List`);
  }
});

test('a second start on the same store changes nothing', async () => {
  await using store = createMemoryStore();
  {
    await using _ = await startServer({ store });
    // The controllers do their part after the start.
    using accounts = store.watchAll(ACCOUNTS);
    const news = accounts[Symbol.asyncIterator]();
    while (store.count(ACCOUNTS) < store.count('root//namespaces')) await news.next();
  }
  const { revision } = store;
  await using api = await startServer({ store });
  assert.equal(store.revision, revision);
  assert.equal((await api.send('GET', CRDS)).code, 200);
});

test('a definition of the language that somebody changed is as before after the next start', async () => {
  await using store = createMemoryStore();
  const crd = `${CRDS}/datasources.datadependency.volcano.sh`;
  const specOf = ({ spec }: JsonObject) => spec as { names: JsonObject };
  let installed: JsonObject;
  {
    await using api = await startServer({ store });
    const { body } = await api.send('GET', crd);
    installed = specOf(body);
    const names = { ...specOf(body).names, categories: ['other'] };
    await api.send('PUT', crd, { ...body, spec: { ...specOf(body), names } });
    assert.notDeepEqual(specOf((await api.send('GET', crd)).body), installed);
  }
  await using api = await startServer({ store });
  assert.deepEqual(specOf((await api.send('GET', crd)).body), installed);
});

test('a server has one store', async () => {
  await using store = createMemoryStore();
  await assert.rejects(
    startServer({ store, dataFolder: 'data' }),
    /a store or a dataFolder, not both/,
  );
});

test('a kind of the language whose definition was deleted is there again', async () => {
  await using store = createMemoryStore();
  const name = 'x';
  {
    await using api = await startServer({ store });
    const crd = `${CRDS}/datasources.datadependency.volcano.sh`;
    await api.send('POST', DATA_SOURCES, dataSource(name, { finalizers: ['example.com/hold'] }));
    await api.send('DELETE', crd);
    await api.until(crd, ({ body }) => conditionsOf(body).includes('Terminating=True'));
  }
  await store.write(DATA_SOURCE_TABLE, name, () => ({ remove: true }));
  await using api = await startServer({ store });
  assert.equal((await api.send('POST', DATA_SOURCES, dataSource(name))).code, 201);
});

test('a server that stops ends its watches and answers no more', async () => {
  await using api = await startServer();
  const watch = await fetch(`${api.url}/api/v1/namespaces?watch=true`);
  const events = watch.text();
  await api[Symbol.asyncDispose]();
  assert.match(await events, /"kube-system"/);
  await assert.rejects(fetch(`${api.url}/version`), /fetch failed/);
});

test('a server that cannot listen says so, and leaves the store to others', async () => {
  await using store = createMemoryStore();
  await using first = await startServer();
  const port = Number(new URL(first.url).port);
  await assert.rejects(startServer({ store, port }), (error) => {
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, /cannot listen on 127\.0\.0\.1:\d+: another program listens there/);
    return true;
  });
  await using _ = await startServer({ store });
});

test('a server asks whether somebody may do what they want', async () => {
  const authorize = ({ verb, target }: Attempt) => {
    if (verb === 'delete') throw forbidden({ group: '', plural: target?.plural ?? '' }, '', 'no');
  };
  await using api = await startServer({ authorize });
  const path = '/api/v1/namespaces/kube-public';
  const { code, body } = await api.send('DELETE', path);
  assert.equal(code, 403);
  assert.equal(body.message, 'namespaces is forbidden: no');
  assert.equal((await api.send('GET', path)).code, 200);
});
