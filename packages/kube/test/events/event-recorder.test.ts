import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { ApiError, ConnectionError } from '@perigee/kube/errors';
import { Event } from '@perigee/kubernetes/core/event';
import { EventRecorder, type EventRecorderOptions } from '../../src/events/event-recorder.ts';
import { MemoryClient, type MemoryFaults } from '../support/memory-client.ts';
import { MemoryCluster } from '../support/memory-cluster.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    uid: 'uid-1',
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
};

const setUp = (options: Partial<EventRecorderOptions> = {}) => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Event], withoutStatus: [Event] });
  const faults: MemoryFaults = {};
  const client = new MemoryClient(cluster, faults);
  const warnings: string[] = [];
  const recorder = new EventRecorder({
    client,
    clock,
    component: 'scheduler',
    instance: 'pod-a',
    logger: { warn: (message) => warnings.push(message) },
    ...options,
  });
  const requests: string[] = [];
  faults.before = ({ verb }) => void requests.push(verb);
  const stored = async (): Promise<readonly Event[]> => {
    delete faults.before;
    return (await client.list(Event)).items;
  };
  const events = async (): Promise<readonly Event[]> => {
    await recorder.flush();
    return (await client.list(Event)).items;
  };
  return { clock, faults, recorder, events, stored, requests, warnings };
};

test('an observation becomes an Event about the object', async () => {
  const { clock, recorder, events } = setUp();
  await clock.advance(1_500);
  recorder.normal(pod, 'Scheduled', 'placed on member1');
  const [event, ...others] = await events();
  assert.deepEqual(others, []);
  const { metadata, ...rest } = event ?? assert.fail('no event');
  assert.equal(metadata.namespace, 'shop');
  const [, stamp = ''] = metadata.name.split('web-1.');
  assert.equal(BigInt(`0x${stamp}`) / 1_000_000n, BigInt(clock.now()));
  assert.deepEqual(rest, {
    apiVersion: 'v1',
    kind: 'Event',
    involvedObject: {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web-1',
      uid: 'uid-1',
      resourceVersion: '7',
    },
    type: 'Normal',
    reason: 'Scheduled',
    message: 'placed on member1',
    count: 1,
    firstTimestamp: '2026-01-01T00:00:01Z',
    lastTimestamp: '2026-01-01T00:00:01Z',
    source: { component: 'scheduler', host: 'pod-a' },
    reportingComponent: 'scheduler',
    reportingInstance: 'pod-a',
  });
});

test('Events about objects without a namespace are kept in default', async () => {
  const { recorder, events } = setUp();
  recorder.warning({ apiVersion: 'v1', kind: 'Node', name: 'n1' }, 'NotReady', 'no answer');
  const [event] = await events();
  assert.equal(event?.metadata.namespace, 'default');
  assert.equal(event?.type, 'Warning');
});

test('a name that no Event may have is replaced by a UUID', async () => {
  const { recorder, events } = setUp();
  recorder.normal({ kind: 'ClusterRole', name: 'system:Node' }, 'Synced', 'done');
  const [event] = await events();
  assert.match(event?.metadata.name ?? '', /^[0-9a-f-]{36}$/);
});

test('the same observation counts up the Event that there is', async () => {
  const { clock, recorder, events } = setUp();
  recorder.warning(pod, 'Failed', 'no room');
  await recorder.flush();
  await clock.advance(60_000);
  recorder.warning(pod, 'Failed', 'no room');
  recorder.warning(pod, 'Failed', 'no room');
  const [event, ...others] = await events();
  assert.deepEqual(others, []);
  assert.equal(event?.count, 3);
  assert.equal(event?.firstTimestamp, '2026-01-01T00:00:00Z');
  assert.equal(event?.lastTimestamp, '2026-01-01T00:01:00Z');
});

test('what is repeated all the time is counted for ten seconds, and written once', async () => {
  const { clock, recorder, requests, stored } = setUp();
  for (let at = 0; at < 20; at += 1) {
    recorder.warning(pod, 'Failed', 'no room');
    await clock.advance(100);
  }
  assert.deepEqual(requests, ['create']);
  await clock.advance(10_000);
  assert.deepEqual(requests, ['create', 'patch']);
  const [event] = await stored();
  assert.equal(event?.count, 20);
  assert.equal(event?.lastTimestamp, '2026-01-01T00:00:01Z');
});

test('an Event that the server forgot is written again with its count', async () => {
  const { clock, recorder, events, faults } = setUp();
  faults.before = ({ verb }) => {
    if (verb === 'create') throw new ApiError({ code: 403, reason: 'Forbidden' });
  };
  recorder.warning(pod, 'Failed', 'no room');
  assert.deepEqual(await events(), []);
  delete faults.before;
  await clock.advance(1_000);
  recorder.warning(pod, 'Failed', 'no room');
  const [event] = await events();
  assert.equal(event?.count, 2);
  assert.equal(event?.firstTimestamp, '2026-01-01T00:00:00Z');
});

test('observations of one moment have Events of their own', async () => {
  const { recorder, events } = setUp();
  for (const reason of ['A', 'B', 'C']) recorder.normal(pod, reason, 'x');
  assert.deepEqual((await events()).map(({ reason }) => reason).sort(), ['A', 'B', 'C']);
});

test('from the tenth message on, similar observations are combined', async () => {
  const { clock, recorder, events } = setUp();
  for (let number = 1; number <= 12; number++) {
    recorder.warning(pod, 'Failed', `attempt ${number}`);
    await clock.advance(1_000);
  }
  const told = (await events()).map(({ message, count }) => `${message} ×${count}`).sort();
  assert.deepEqual(told, [
    '(combined from similar events): attempt 12 ×3',
    ...Array.from({ length: 9 }, (_, index) => `attempt ${index + 1} ×1`),
  ]);
});

test('after ten quiet minutes, similar observations are told one by one again', async () => {
  const { clock, recorder, events } = setUp();
  for (let number = 1; number <= 10; number++) recorder.normal(pod, 'Moved', `to ${number}`);
  await clock.advance(600_001);
  recorder.normal(pod, 'Moved', 'to 11');
  const messages = (await events()).map(({ message }) => message);
  assert.ok(messages.includes('(combined from similar events): to 10'));
  assert.ok(messages.includes('to 11'));
});

test('a source is heard 25 times, and then once every five minutes', async () => {
  const { clock, recorder, events } = setUp();
  for (let number = 1; number <= 40; number++) recorder.normal(pod, `Reason${number}`, 'x');
  assert.equal((await events()).length, 25);
  recorder.warning(pod, 'Other', 'another type has a budget of its own');
  assert.equal((await events()).length, 26);
  await clock.advance(299_999);
  recorder.normal(pod, 'TooEarly', 'x');
  assert.equal((await events()).length, 26);
  await clock.advance(1);
  recorder.normal(pod, 'InTime', 'x');
  recorder.normal(pod, 'TooMany', 'x');
  const reasons = (await events()).map(({ reason }) => reason);
  assert.equal(reasons.length, 27);
  assert.ok(reasons.includes('InTime'));
  assert.equal(recorder.dropped, 0);
});

test('counts go on while a source is not heard', async () => {
  const { clock, recorder, events } = setUp();
  for (let times = 0; times < 30; times++) recorder.normal(pod, 'Synced', 'x');
  await clock.advance(300_000);
  recorder.normal(pod, 'Synced', 'x');
  const [event] = await events();
  assert.equal(event?.count, 31);
});

test('a server that is away is asked again; recording never waits for it', async () => {
  const { clock, recorder, events, faults, warnings } = setUp();
  let asked = 0;
  faults.before = ({ verb }) => {
    if (verb === 'list') return;
    asked++;
    throw new ConnectionError('refused');
  };
  recorder.normal(pod, 'A', 'x');
  assert.equal(asked, 0);
  await clock.advance(0);
  assert.equal(asked, 1);
  await clock.advance(10_000);
  assert.equal(asked, 2);
  delete faults.before;
  await clock.advance(10_000);
  assert.equal((await events()).length, 1);
  assert.deepEqual(warnings, []);
});

test('an Event whose answer was lost is not written twice, nor complained of', async () => {
  const { clock, recorder, events, faults, warnings } = setUp();
  faults.after = ({ verb }) => {
    if (verb !== 'create') return;
    delete faults.after;
    throw new ConnectionError('reset');
  };
  recorder.normal(pod, 'A', 'x');
  await clock.advance(10_000);
  assert.equal((await events()).length, 1);
  assert.deepEqual(warnings, []);
});

test('an Event is given up after twelve attempts, and does not hold up others', async () => {
  const { clock, recorder, events, faults, warnings } = setUp();
  let asked = 0;
  // The second is asked for the second Event, all others for the first.
  faults.before = ({ verb }) => {
    if (verb === 'create' && ++asked !== 2) throw new ApiError({ code: 503 });
  };
  recorder.normal(pod, 'A', 'x');
  recorder.normal(pod, 'B', 'x');
  await clock.advance(12 * 10_000);
  assert.deepEqual(
    (await events()).map(({ reason }) => reason),
    ['B'],
  );
  assert.equal(asked, 13);
  assert.deepEqual(warnings, ['cannot record an event']);
});

test('a few Events are written at a time, one of them never twice', async () => {
  const { clock, recorder, events, faults } = setUp();
  const held: (() => void)[] = [];
  const asked: string[] = [];
  faults.before = ({ verb }) => {
    if (verb === 'list') return;
    asked.push(verb);
    return new Promise((resolve) => held.push(resolve));
  };
  for (const reason of ['A', 'B', 'C', 'D', 'E', 'F']) recorder.normal(pod, reason, 'x');
  await clock.advance(0);
  assert.equal(asked.length, 4);
  recorder.normal(pod, 'A', 'x');
  held[1]?.();
  held[2]?.();
  await clock.advance(0);
  assert.deepEqual(asked, Array(6).fill('create'));
  held[0]?.();
  await clock.advance(0);
  assert.equal(asked.length, 6, 'a repetition is not written at once');
  await clock.advance(10_000);
  assert.equal(asked.at(-1), 'patch');
  delete faults.before;
  for (const go of held) go();
  const told = (await events()).map(({ reason, count }) => `${reason} ×${count}`).sort();
  assert.deepEqual(told, ['A ×2', 'B ×1', 'C ×1', 'D ×1', 'E ×1', 'F ×1']);
});

test('an Event that the server refuses is not tried again', async () => {
  const { recorder, events, faults, warnings, clock } = setUp();
  faults.before = ({ verb }) => {
    if (verb === 'create') throw new ApiError({ code: 422, reason: 'Invalid' });
  };
  recorder.normal(pod, 'A', 'x');
  assert.deepEqual(await events(), []);
  assert.deepEqual(warnings, ['cannot record an event']);
  assert.equal(clock.pendingTimers, 0);
});

test('what waits is bounded, and one that counts up takes no more room', async () => {
  const { recorder, events, warnings } = setUp({ mostWaiting: 2 });
  recorder.normal(pod, 'A', 'x');
  recorder.normal(pod, 'B', 'x');
  recorder.normal(pod, 'C', 'x');
  recorder.normal(pod, 'A', 'x');
  assert.equal(recorder.dropped, 1);
  assert.deepEqual(warnings, ['no room for an event']);
  const told = (await events()).map(({ reason, count }) => `${reason} ×${count}`).sort();
  assert.deepEqual(told, ['A ×2', 'B ×1']);
});

test('closing writes what waits, and then takes no more', async () => {
  const { recorder, events } = setUp();
  recorder.normal(pod, 'A', 'x');
  recorder.normal(pod, 'B', 'x');
  await recorder[Symbol.asyncDispose]();
  recorder.normal(pod, 'C', 'x');
  assert.equal((await events()).length, 2);
  assert.equal(recorder.dropped, 1);
});

test('closing does not wait long for a server that does not answer', async () => {
  const { clock, recorder, faults, warnings } = setUp();
  faults.before = () => new Promise(() => {});
  recorder.normal(pod, 'A', 'x');
  recorder.normal(pod, 'B', 'x');
  await clock.advance(0);
  const closed = recorder[Symbol.asyncDispose]();
  await clock.advance(5_000);
  await closed;
  assert.deepEqual(warnings, ['cannot record an event', 'cannot record an event']);
  assert.equal(clock.pendingTimers, 0);
});

test('closing tries once more what waits for its next attempt', async () => {
  const { clock, recorder, events, faults } = setUp();
  faults.before = ({ verb }) => {
    if (verb === 'create') throw new ConnectionError('refused');
  };
  recorder.normal(pod, 'A', 'x');
  await clock.advance(0);
  delete faults.before;
  await recorder[Symbol.asyncDispose]();
  assert.equal((await events()).length, 1);
});

test('what two components say of an object at the same moment is told by both', async () => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [Event], withoutStatus: [Event] });
  const client = new MemoryClient(cluster, {});
  const [one, two] = ['one', 'two'].map(
    (component) => new EventRecorder({ client, clock, component }),
  );
  one?.normal(pod, 'Seen', 'by one');
  two?.normal(pod, 'Seen', 'by two');
  await clock.advance(1000);
  const { items } = await client.list(Event);
  assert.deepEqual(items.map(({ message }) => message).sort(), ['by one', 'by two']);
});
