import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineController } from '@perigee/kube/controller/define-controller';
import { ConfigError } from '@perigee/kube/errors';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { MemoryClient } from '../support/memory-client.ts';
import { LEASE, setUpManager } from './manager-fixture.ts';

const idle = defineController({ name: 'idle', for: ConfigMap, reconcile: async () => undefined });

const ask = async (url: string, method = 'GET') => {
  const response = await fetch(url, { method });
  return { status: response.status, text: await response.text(), headers: response.headers };
};

test('it listens on the loopback address and says where', async () => {
  const { manage, log } = setUpManager();
  await using manager = manage({ controllers: [idle], http: { port: 0 } });
  await manager.start();
  assert.match(manager.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.ok(log.some((line) => line.includes(manager.url)));
});

test('it lives, and is ready, in one word or check by check', async () => {
  const { manage } = setUpManager();
  await using manager = manage({ controllers: [idle], http: { port: 0 } });
  await manager.start();
  for (const path of ['healthz', 'livez', 'readyz']) {
    const { status, text } = await ask(`${manager.url}/${path}`);
    assert.equal(status, 200);
    assert.equal(text, 'ok');
  }
  const { text } = await ask(`${manager.url}/readyz?verbose`);
  assert.equal(
    text,
    '[+]ping ok\n[+]shutdown ok\n[+]cache-configmaps ok\n[+]controller-idle ok\nreadyz check passed\n',
  );
});

test('it is not ready before its caches are full, and says which', async () => {
  const { clock, cluster, manage } = setUpManager();
  const gate = Promise.withResolvers<void>();
  const client = new MemoryClient(cluster, {
    before: ({ kind }) => (kind === Namespace ? gate.promise : undefined),
  });
  const reader = defineController({
    name: 'reader',
    for: ConfigMap,
    reads: [Namespace],
    reconcile: async () => undefined,
  });
  await using manager = manage({ controllers: [reader], client, http: { port: 0 } });
  const starting = manager.start();
  while (manager.url === '') await new Promise(setImmediate);
  await clock.advance(0);
  const before = await ask(`${manager.url}/readyz`);
  assert.equal(before.status, 500);
  assert.equal(
    before.text,
    '[+]ping ok\n[+]shutdown ok\n[+]cache-configmaps ok\n' +
      '[-]cache-namespaces failed: the objects were not fetched yet\n' +
      '[-]controller-reader failed: waits for its caches\nreadyz check failed\n',
  );
  assert.equal((await ask(`${manager.url}/livez`)).status, 200);
  gate.resolve();
  await clock.advance(0);
  await starting;
  assert.equal((await ask(`${manager.url}/readyz`)).text, 'ok');
});

test('one that stands by is ready', async () => {
  const { clock, manage } = setUpManager();
  const leaderElection = { lease: LEASE };
  await using leader = manage({ controllers: [idle], leaderElection, identity: 'first' });
  await leader.start();
  await clock.advance(10);
  const http = { port: 0 };
  await using other = manage({ controllers: [idle], leaderElection, http, identity: 'second' });
  await other.start();
  assert.equal((await ask(`${other.url}/readyz`)).text, 'ok');
  const { text } = await ask(`${other.url}/metrics`);
  assert.match(text, /^leader_election_master_status\{name="controllers"\} 0$/m);
});

test('it is not ready while it stops, and does not answer after that', async () => {
  const { clock, manage, create } = setUpManager();
  await create('it');
  const slow = defineController({
    name: 'slow',
    for: ConfigMap,
    async reconcile() {
      await clock.sleep(1000);
    },
  });
  const manager = manage({ controllers: [slow], http: { port: 0 } });
  await manager.start();
  const { url } = manager;
  await clock.advance(1);
  void manager.stop();
  const { status, text } = await ask(`${url}/readyz`);
  assert.equal(status, 500);
  assert.match(text, /\[-\]shutdown failed: the manager is stopping/);
  await clock.advance(1000);
  await manager.stopped;
  await assert.rejects(ask(`${url}/readyz`));
});

test('the metrics of controllers, queues and informers are told', async () => {
  const { clock, manage, create } = setUpManager();
  await create('it');
  await using manager = manage({ controllers: [idle], http: { port: 0 } });
  await manager.start();
  await clock.advance(10);
  const { text, headers } = await ask(`${manager.url}/metrics`);
  assert.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  for (const line of [
    'controller_runtime_reconcile_total{controller="idle",result="success"} 1',
    'workqueue_adds_total{name="idle"} 1',
    'workqueue_depth{name="idle"} 0',
    'perigee_informer_objects{cluster="",resource="configmaps",namespace="",selector=""} 1',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} is missing`);
  }
});

test('other paths and methods are refused', async () => {
  const { manage } = setUpManager();
  await using manager = manage({ controllers: [idle], http: { port: 0 } });
  await manager.start();
  const lost = await ask(`${manager.url}/nowhere`);
  assert.equal(lost.status, 404);
  assert.equal(lost.text, 'try /healthz, /livez, /readyz, /metrics\n');
  assert.equal((await ask(`${manager.url}//`)).status, 404);
  assert.equal((await ask(`${manager.url}/constructor`)).status, 404);
  assert.equal((await ask(`${manager.url}/metrics`, 'POST')).status, 405);
  assert.deepEqual(await ask(`${manager.url}/healthz`, 'HEAD').then(({ text }) => text), '');
});

test('a port that is taken is said clearly, and nothing is left behind', async () => {
  const { clock, manage, cluster } = setUpManager();
  await using first = manage({ controllers: [idle], http: { port: 0 } });
  await first.start();
  const port = Number(new URL(first.url).port);
  const second = manage({ controllers: [idle], http: { port } });
  await assert.rejects(
    second.start(),
    (error) =>
      error instanceof ConfigError &&
      error.message.startsWith(`cannot listen on 127.0.0.1:${port}`),
  );
  await second.stopped;
  await first.stop();
  assert.equal(cluster.watches.length, 0);
  assert.equal(clock.pendingTimers, 0);
});
