import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { toCrd } from '@perigee/api/kind/crd';
import { Job } from '@perigee/api/kinds/groups/job';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { realClock } from '@perigee/kube/clock/real-clock';
import { isGone, isNotFound, isNotServed } from '@perigee/kube/errors';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { configMap, inDefault } from './clusters-fixture.ts';

const clock = realClock;
const codeOf = async (url: string): Promise<number> => {
  const response = await fetch(url);
  await response.body?.cancel();
  return response.status;
};

test('every cluster has its own objects, and what a cluster is expected to have', async () => {
  await using server = await startEmbeddedServer({ clock });
  const [m1, m2] = await Promise.all([server.openCluster('m1'), server.openCluster('m2')]);
  for (const { client, name } of [{ ...server, name: 'root' }, m1, m2]) {
    await client.create(ConfigMap, configMap('m', name));
  }
  assert.deepEqual((await m1.client.get(ConfigMap, inDefault('m'))).data, { value: 'm1' });
  await m1.client.delete(ConfigMap, inDefault('m'));
  assert.deepEqual((await m2.client.get(ConfigMap, inDefault('m'))).data, { value: 'm2' });
  assert.deepEqual((await server.client.get(ConfigMap, inDefault('m'))).data, { value: 'root' });
  const { items } = await m1.client.list(Namespace);
  const names = items.map(({ metadata }) => metadata.name);
  assert.deepEqual(names, ['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  const uids = await Promise.all(
    [server, m1, m2].map(async ({ client }) => {
      const { metadata } = await client.get(Namespace, { name: 'default' });
      return metadata.uid;
    }),
  );
  assert.equal(new Set(uids).size, 3);
  assert.equal(await codeOf(`${m2.url}/api/v1/namespaces/default/configmaps/m`), 200);
  assert.equal(await codeOf(`${m1.url}/api/v1/namespaces/default/configmaps/m`), 404);
});

test('a name that cannot be that of a member is refused', async () => {
  await using server = await startEmbeddedServer({ clock });
  const bad = ['root', 'perigee', '', 'M1', 'a.b', 'a/b', '..', '-a', 'x'.repeat(49)];
  for (const name of bad) {
    await assert.rejects(server.openCluster(name), { name: 'ConfigError' }, name);
    await assert.rejects(server.removeCluster(name), { name: 'ConfigError' }, name);
  }
  assert.deepEqual(server.clusters, []);
  await server.openCluster('x'.repeat(48));
});

test('to open a cluster again gives the same one, with the kinds that are asked for', async () => {
  await using server = await startEmbeddedServer({ clock });
  const [first, second] = await Promise.all([
    server.openCluster('m1'),
    server.openCluster('m1', { kinds: [Job] }),
  ]);
  assert.equal(first, second);
  assert.equal(server.cluster('m1'), first);
  await first.client.list(Job);
  await assert.rejects(first.client.list(Queue), isNotServed);
  await server.openCluster('m1', { kinds: [Queue] });
  await first.client.list(Queue);
  const other = await server.openCluster('m2');
  await assert.rejects(other.client.list(Job), isNotServed);
});

test('a definition in one cluster serves that cluster alone', async () => {
  await using server = await startEmbeddedServer({ clock });
  const [m1, m2] = [await server.openCluster('m1'), await server.openCluster('m2')];
  const before = m2.registry.resources.values();
  await m1.client.create(CustomResourceDefinition, toCrd(Job) as never);
  const established = m1.client.watch(CustomResourceDefinition, { sendInitialEvents: true });
  for await (const { object } of established) {
    const { status = {} } = object as CustomResourceDefinition;
    const { conditions } = status as { conditions?: { type: string }[] | null };
    if (conditions?.some(({ type }) => type === 'Established')) break;
  }
  await m1.client.list(Job);
  await assert.rejects(m2.client.list(Job), isNotServed);
  assert.equal(m2.registry.resources.values(), before);
});

test('what is removed is gone, with its watches and its past', async () => {
  await using server = await startEmbeddedServer({ clock });
  const m1 = await server.openCluster('m1', { kinds: [Job] });
  const m2 = await server.openCluster('m2');
  await m2.client.create(ConfigMap, configMap('m', 'stays'));
  const { metadata } = await m1.client.create(ConfigMap, configMap('m', 'goes'));
  const watch = await fetch(`${m1.url}/api/v1/configmaps?watch=true`);
  const empty = m1.client.watch(Job, { sendInitialEvents: true })[Symbol.asyncIterator]();
  assert.equal((await empty.next()).value?.type, 'BOOKMARK');
  await server.removeCluster('m1');
  assert.match(await watch.text(), /^\{"type":"ADDED"[^\n]*"goes"/);
  assert.equal((await empty.next()).done, true);
  assert.equal(server.cluster('m1'), undefined);
  assert.deepEqual(server.clusters, ['m2']);
  assert.equal(await codeOf(`${m1.url}/api/v1/configmaps`), 404);
  await assert.rejects(m1.client.create(ConfigMap, configMap('n', 'late')), /m1 is closed/);

  const again = await server.openCluster('m1');
  await assert.rejects(again.client.get(ConfigMap, inDefault('m')), isNotFound);
  await assert.rejects(again.client.list(Job), isNotServed);
  const { resourceVersion } = metadata;
  const past = again.client.list(ConfigMap, { resourceVersion, resourceVersionMatch: 'Exact' });
  await assert.rejects(past, isGone);
  assert.deepEqual((await m2.client.get(ConfigMap, inDefault('m'))).data, { value: 'stays' });
  await server.removeCluster('never-there');
});

test('a cluster that is closed is out of service until it is opened again', async () => {
  await using server = await startEmbeddedServer({ clock });
  const m1 = await server.openCluster('m1');
  await m1.client.create(ConfigMap, configMap('m', 'kept'));
  await m1.close();
  assert.equal(server.cluster('m1'), undefined);
  assert.deepEqual(server.clusters, ['m1']);
  assert.equal(await codeOf(`${m1.url}/api`), 404);
  const again = await server.openCluster('m1');
  await m1.close();
  assert.deepEqual((await again.client.get(ConfigMap, inDefault('m'))).data, { value: 'kept' });
});

test('a cluster is there after a restart, with its first answer', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'perigee-clusters-'));
  try {
    const start = () => startEmbeddedServer({ clock, dataFolder });
    {
      await using server = await start();
      const m1 = await server.openCluster('m1', { kinds: [Job] });
      await m1.client.create(ConfigMap, configMap('m', 'kept'));
      await server.openCluster('m2');
      await server.removeCluster('m2');
    }
    await using server = await start();
    assert.deepEqual(server.clusters, ['m1']);
    const m1 = server.cluster('m1') ?? assert.fail('m1 is not served');
    assert.deepEqual((await m1.client.get(ConfigMap, inDefault('m'))).data, { value: 'kept' });
    assert.equal(await codeOf(`${m1.url}/apis/batch.volcano.sh/v1alpha1/jobs`), 200);
  } finally {
    rmSync(dataFolder, { recursive: true });
  }
});

test('a removal that was interrupted goes on with the next start', async () => {
  await using store = createMemoryStore();
  const start = (): Promise<EmbeddedServer> => startEmbeddedServer({ clock, store });
  {
    await using server = await start();
    const { client } = await server.openCluster('m1');
    await client.create(ConfigMap, configMap('m', 'goes'));
  }
  const failing = new Proxy(store, {
    get: (target, name) => {
      if (name === 'drop') return () => Promise.reject(new Error('the power is gone'));
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  {
    await using server = await startEmbeddedServer({ clock, store: failing });
    await assert.rejects(server.removeCluster('m1'), /the power is gone/);
    assert.deepEqual(server.clusters, []);
  }
  assert.ok(store.tables('m1/').length > 0);
  await using server = await start();
  assert.deepEqual(server.clusters, []);
  assert.deepEqual(store.tables('m1/'), []);
});
