import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Queue } from '@perigee/api/kinds/queues/queue';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { startEmbeddedServer } from '../../src/embedded/embedded-server.ts';
import type { ClusterEvent } from '../../src/logical-clusters/watch-clusters.ts';
import { configMap, inDefault } from './clusters-fixture.ts';

const clock = realClock;

const show = (event: ClusterEvent): string =>
  event.type === 'SYNCED'
    ? event.type
    : `${event.cluster} ${event.type} ${event.object.metadata.name}`;

/** Events up to the last of these. */
const readTo = async (events: AsyncIterable<ClusterEvent>, last: string) => {
  const seen: string[] = [];
  for await (const event of events) {
    seen.push(show(event));
    if (seen.at(-1) === last) break;
  }
  return seen;
};

test('one watch tells of all clusters, those to come included', async () => {
  await using server = await startEmbeddedServer({ clock });
  const options = { namespace: 'default', fieldSelector: 'metadata.name!=kube-root-ca.crt' };
  const m1 = await server.openCluster('m1');
  await server.client.create(ConfigMap, configMap('a', 'x'));
  await m1.client.create(ConfigMap, configMap('b', 'x'));
  const events = server.watchAll(ConfigMap, options);
  const iterator = events[Symbol.asyncIterator]();
  const first = await iterator.next();
  const m2 = await server.openCluster('m2');
  await m2.client.create(ConfigMap, configMap('c', 'x'));
  await m1.client.update(ConfigMap, configMap('b', 'y'));
  await server.client.delete(ConfigMap, inDefault('a'));
  await server.removeCluster('m1');
  await m2.client.create(ConfigMap, configMap('last', 'x'));
  const rest = { [Symbol.asyncIterator]: () => iterator };
  const seen = await readTo(rest, 'm2 ADDED last');
  assert.deepEqual(
    [show(first.value as ClusterEvent), ...seen],
    [
      'm1 ADDED b',
      'root ADDED a',
      'SYNCED',
      'm2 ADDED c',
      'm1 MODIFIED b',
      'root DELETED a',
      'm1 DELETED b',
      'm2 ADDED last',
    ],
  );
});

test('selectors and a namespace narrow it', async () => {
  await using server = await startEmbeddedServer({ clock });
  const m1 = await server.openCluster('m1');
  for (const [name, namespace, labels] of [
    ['a', 'default', { app: 'x' }],
    ['b', 'default', { app: 'y' }],
    ['c', 'kube-system', { app: 'x' }],
  ] as const) {
    await m1.client.create(ConfigMap, { metadata: { name, namespace, labels } });
  }
  const options = { namespace: 'default', labelSelector: 'app=x' };
  const events = server.watchAll(ConfigMap, options);
  assert.deepEqual(await readTo(events, 'SYNCED'), ['m1 ADDED a', 'SYNCED']);
});

test('it tells of custom resources where they are served', async () => {
  await using server = await startEmbeddedServer({ clock });
  const m1 = await server.openCluster('m1', { kinds: [Queue] });
  await server.openCluster('m2');
  await m1.client.create(Queue, { metadata: { name: 'q' }, spec: {} });
  assert.deepEqual(await readTo(server.watchAll(Queue), 'SYNCED'), ['m1 ADDED q', 'SYNCED']);
});

test('it ends with its signal', async () => {
  await using server = await startEmbeddedServer({ clock });
  const stop = new AbortController();
  const events = server.watchAll(ConfigMap, { signal: stop.signal })[Symbol.asyncIterator]();
  for (;;) {
    const { value } = await events.next();
    if (value?.type === 'SYNCED') break;
  }
  const next = events.next();
  stop.abort(new Error('enough'));
  await assert.rejects(async () => {
    for (let event = await next; !event.done; event = await events.next());
  }, /enough/);
});
