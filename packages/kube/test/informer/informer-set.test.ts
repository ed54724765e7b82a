import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { InformerSet } from '../../src/informer/informer-set.ts';
import { MemoryClient } from '../support/memory-client.ts';
import { MemoryCluster, type WatchListSupport } from '../support/memory-cluster.ts';
import { StepLog } from './step-log.ts';
import { Thing, thing } from './thing.ts';

const Other: ResourceKind = { ...Thing, kind: 'Other', plural: 'others' };

const setUp = (watchList: WatchListSupport = 'served') => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Thing, Other], watchList });
  const client = new MemoryClient(cluster);
  const logs = new Map<string, StepLog>();
  const informers = new InformerSet({
    client,
    clock,
    metrics: (kind, { namespace }) => {
      const log = new StepLog();
      logs.set(`${kind.plural} in ${namespace ?? 'all'}`, log);
      return log;
    },
  });
  return { clock, cluster, client, informers, logs };
};

test('who asks for the same gets the same informer, already started', async () => {
  const { clock, cluster, client, informers, logs } = setUp();
  await using _ = informers;
  const transform = (object: Thing) => object;
  const things = informers.for(Thing);
  assert.equal(informers.for(Thing, {}), things);
  assert.equal(informers.for(Thing, { keepManagedFields: false }), things);
  assert.equal(informers.for(Thing, { transform }), informers.for(Thing, { transform }));
  const others = [
    informers.for(Thing, { transform }),
    informers.for(Thing, { namespace: 'a' }),
    informers.for(Thing, { labelSelector: 'a=b' }),
    informers.for(Thing, { fieldSelector: 'metadata.name=x' }),
    informers.for(Thing, { keepManagedFields: true }),
    informers.for(Other),
  ];
  assert.equal(new Set([things, ...others]).size, 7);
  await client.create(Thing, thing('x'));
  const synced = informers.synced();
  await clock.advance(0);
  await synced;
  assert.equal(things.get({ name: 'x', namespace: 'a' })?.spec?.size, 1);
  assert.equal(cluster.watches.length, 7);
  assert.deepEqual(logs.get('others in all')?.take(), ['watch started']);
});

test('the set ends all its informers and starts no more', async () => {
  const { clock, cluster, informers } = setUp();
  const things = informers.for(Thing);
  informers.for(Other);
  await clock.advance(0);
  await informers.stop();
  assert.deepEqual(cluster.watches, []);
  assert.equal(clock.pendingTimers, 0);
  assert.equal(things.hasSynced, true);
  assert.throws(() => informers.for(Other), /has been stopped/);
});

test('what one informer found out about the server is known to the next', async () => {
  const { clock, informers, logs } = setUp('refused');
  await using _ = informers;
  informers.for(Thing);
  await clock.advance(0);
  informers.for(Other);
  await clock.advance(0);
  assert.equal(
    logs.get('things in all')?.take()[1],
    'watch failed Thing "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden',
  );
  assert.deepEqual(logs.get('others in all')?.take(), [
    'list started',
    'list finished',
    'watch started',
  ]);
});

test('a refusal that is not about initial events is not held against the server', async () => {
  const { clock, informers, logs } = setUp();
  await using _ = informers;
  const broken = informers.for(Thing, { labelSelector: '!!' });
  await clock.advance(10_000);
  assert.equal(broken.hasSynced, false);
  informers.for(Other);
  await clock.advance(0);
  assert.deepEqual(logs.get('others in all')?.take(), ['watch started']);
});
