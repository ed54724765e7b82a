import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineController } from '@perigee/kube/controller/define-controller';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Event } from '@perigee/kubernetes/core/event';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { MemoryClient } from '../support/memory-client.ts';
import { LEASE, setUpManager } from './manager-fixture.ts';

const done = async () => undefined;

test('it has started when the caches are full', async () => {
  const { clock, cluster, manage } = setUpManager();
  const gate = Promise.withResolvers<void>();
  const client = new MemoryClient(cluster, {
    before: ({ kind }) => (kind === Namespace ? gate.promise : undefined),
  });
  const slow = defineController({
    name: 'slow',
    for: ConfigMap,
    reads: [Namespace],
    reconcile: done,
  });
  await using manager = manage({ controllers: [slow], client });
  let started = false;
  const starting = manager.start().then(() => {
    started = true;
  });
  await clock.advance(5000);
  assert.equal(started, false);
  gate.resolve();
  await clock.advance(0);
  await starting;
});

test('it stops in good order: work ends, then the lease goes, then all is quiet', async () => {
  const { clock, cluster, manage, create, admin, log } = setUpManager();
  await create('a');
  await create('b');
  const finished: string[] = [];
  const slow = defineController({
    name: 'slow',
    for: ConfigMap,
    async reconcile({ name }, { client, events, cache }) {
      await clock.sleep(1000);
      const ref = { namespace: 'default', name };
      const body = { data: { by: 'slow' } };
      await client.patch(ConfigMap, ref, { type: 'merge', body });
      const object = cache(ConfigMap).get(ref);
      if (object) events.normal(object, 'Done', 'It was patched.');
      finished.push(name);
    },
  });
  const manager = manage({ controllers: [slow], leaderElection: { lease: LEASE } });
  const stop = new AbortController();
  await manager.start(stop.signal);
  await clock.advance(500);
  stop.abort();
  await clock.advance(400);
  assert.equal((await admin.get(Lease, LEASE)).spec?.holderIdentity, 'p');
  await clock.advance(100);
  await manager.stopped;
  assert.deepEqual(finished, ['a']);
  assert.equal((await admin.get(Lease, LEASE)).spec?.holderIdentity, '');
  assert.equal((await admin.list(Event)).items[0]?.reason, 'Done');
  assert.equal(clock.pendingTimers, 0);
  assert.equal(cluster.watches.length, 0);
  assert.match(log.at(-1) ?? '', /"message":"stopped"/);
});

test('a reconcile that takes longer than the grace period is aborted', async () => {
  const { clock, manage, create } = setUpManager();
  await create('it');
  const reasons: string[] = [];
  const endless = defineController({
    name: 'endless',
    for: ConfigMap,
    async reconcile(_, { signal }) {
      await clock.sleep(1e9, signal).catch((reason) => reasons.push(reason.message));
    },
  });
  const manager = manage({ controllers: [endless], graceMs: 5000 });
  await manager.start();
  await clock.advance(1);
  void manager.stop();
  await clock.advance(4999);
  assert.deepEqual(reasons, []);
  await clock.advance(1);
  await manager.stopped;
  assert.deepEqual(reasons, ['the reconciles did not end within 5000 ms']);
});

test('an abort ends it at once', async () => {
  const { clock, manage, create } = setUpManager();
  await create('it');
  let aborted = false;
  const endless = defineController({
    name: 'endless',
    for: ConfigMap,
    async reconcile(_, { signal }) {
      await clock.sleep(1e9, signal).catch(() => {
        aborted = true;
      });
    },
  });
  const manager = manage({ controllers: [endless] });
  await manager.start();
  await clock.advance(1);
  void manager.stop();
  manager.abort();
  await clock.advance(0);
  await manager.stopped;
  assert.equal(aborted, true);
  manager.abort();
});

test('a reconcile that does not even end when it is aborted is left behind, and cannot write', async () => {
  const { clock, manage, create, log, admin } = setUpManager();
  await create('it');
  let outcome = '';
  const stubborn = defineController({
    name: 'stubborn',
    for: ConfigMap,
    async reconcile(_, { client }) {
      await clock.sleep(60_000);
      outcome = await client
        .create(ConfigMap, { metadata: { namespace: 'default', name: 'late' } })
        .then(() => 'written', String);
    },
  });
  const manager = manage({
    controllers: [stubborn],
    leaderElection: { lease: LEASE },
    graceMs: 5000,
  });
  await manager.start();
  await clock.advance(1);
  void manager.stop();
  await clock.advance(6000);
  await manager.stopped;
  assert.equal((await admin.get(Lease, LEASE)).spec?.holderIdentity, '');
  assert.match(log.join(''), /go on although they were aborted","controllers":\["stubborn"\]/);
  await clock.advance(60_000);
  assert.match(outcome, /NotLeaderError: the lease was released/);
});

test('a start that is stopped before the caches are full is refused', async () => {
  const { manage, cluster, clock } = setUpManager();
  const client = new MemoryClient(cluster, { before: () => new Promise(() => {}) });
  const controller = defineController({ name: 'idle', for: ConfigMap, reconcile: done });
  const manager = manage({ controllers: [controller], client, http: { port: 0 } });
  const stop = new AbortController();
  const starting = manager.start(stop.signal);
  stop.abort();
  await assert.rejects(starting, /the manager is stopping/);
  await manager.stopped;
  assert.equal(manager.url, '');
  assert.equal(clock.pendingTimers, 0);
});

test('a controller whose source fails does not take the others with it', async () => {
  const { clock, manage, create } = setUpManager();
  await create('it');
  const broken = defineController({
    name: 'broken',
    for: ConfigMap,
    watches: [
      {
        kinds: [],
        start() {
          throw new Error('no such place');
        },
      },
    ],
    reconcile: done,
  });
  let ran = false;
  const good = defineController({
    name: 'good',
    for: ConfigMap,
    async reconcile() {
      ran = true;
    },
  });
  await using manager = manage({ controllers: [broken, good], http: { port: 0 } });
  await manager.start();
  await clock.advance(0);
  assert.equal(ran, true);
  const answer = await fetch(`${manager.url}/readyz`);
  assert.equal(answer.status, 500);
  assert.match(await answer.text(), /\[-\]controller-broken failed: Error: no such place/);
});
