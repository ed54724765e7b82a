import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Event } from '@perigee/kubernetes/core/event';
import { formatTime } from '@perigee/schema/values/time';
import { eventExpiry } from '../../src/cluster-controllers/event-expiry/event-expiry.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { openWorld, type WorldOptions } from './collector-fixture.ts';

const MINUTE = 60_000;

const setUp = async (options: WorldOptions = {}) => {
  const world = await openWorld(options);
  const { client, clock, registry, logger } = world;
  const start = (ttlMs?: number) =>
    world.run(eventExpiry({ registry, logger, ...(ttlMs === undefined ? {} : { ttlMs }) }));
  const record = (name: string, more = {}) =>
    client.create(Event, {
      metadata: { name, namespace: 'a' },
      involvedObject: { namespace: 'a' },
      ...more,
    });
  const touch = (name: string, count: number) => {
    const body = { count, lastTimestamp: formatTime(clock.now()) };
    return client.patch(Event, { name, namespace: 'a' }, { type: 'merge', body });
  };
  const names = async () => {
    const { items } = await client.list(Event);
    return items.map(({ metadata }) => metadata.name);
  };
  return { ...world, start, record, touch, names };
};

test('an event goes an hour after it was last written, and not before', async () => {
  const { start, record, touch, names, clock } = await setUp();
  await using _ = await start();
  await record('a');
  await clock.advance(10 * MINUTE);
  await record('b');
  await clock.advance(20 * MINUTE);
  await touch('a', 2);
  await clock.advance(40 * MINUTE - 1_000);
  assert.deepEqual(await names(), ['a', 'b']);
  await clock.advance(1_000);
  assert.deepEqual(await names(), ['a']);
  await clock.advance(20 * MINUTE - 1_000);
  assert.deepEqual(await names(), ['a']);
  await clock.advance(1_000);
  assert.deepEqual(await names(), []);
});

test('a server that starts knows how old the events are that it finds', async () => {
  const world = await setUp();
  const { record, touch, names, clock } = world;
  await record('old');
  await record('touched');
  await touch('touched', 1);
  await clock.advance(30 * MINUTE);
  await touch('touched', 2);
  await clock.advance(29 * MINUTE);
  await record('young', { lastTimestamp: '1999-01-01T00:00:00Z' });
  await using _ = await world.start();
  await clock.advance(0);
  assert.deepEqual(await names(), ['old', 'touched', 'young']);
  await clock.advance(MINUTE);
  assert.deepEqual(await names(), ['touched', 'young']);
  await clock.advance(30 * MINUTE);
  assert.deepEqual(await names(), ['young']);
  await clock.advance(29 * MINUTE);
  assert.deepEqual(await names(), []);
});

test('many go at once, also when their news were missed', async () => {
  const { start, record, names, clock } = await setUp({
    store: createMemoryStore({ backlog: { events: 1 } }),
  });
  await using _ = await start(MINUTE);
  await Promise.all(Array.from({ length: 250 }, (_, n) => record(`e${n}`)));
  await clock.advance(30_000);
  assert.equal((await names()).length, 250);
  await clock.advance(31_000);
  assert.deepEqual(await names(), []);
});

test('one timer is enough, and none is left when all is done', async () => {
  const { start, record, clock } = await setUp();
  const manager = await start();
  const idle = clock.pendingTimers;
  await Promise.all(['a', 'b', 'c'].map((name) => record(name)));
  await clock.advance(1_000);
  assert.equal(clock.pendingTimers, idle + 1);
  await manager.stop();
  assert.ok(clock.pendingTimers <= idle);
});
