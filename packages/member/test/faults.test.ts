import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '@perigee/kube/errors';
import { Node } from '@perigee/kubernetes/core/node';
import { Pod } from '@perigee/kubernetes/core/pod';
import { NO_FAULTS, readFaults } from '../src/faults/faults.ts';
import { FaultyMember } from '../src/faults/faulty-member.ts';
import { fillNodes } from '../src/faults/fill-nodes.ts';
import { startCluster } from './member-fixture.ts';

const unreachable = { ...NO_FAULTS, isUnreachable: true };

test('faults are read from words', () => {
  const table: readonly (readonly [string | undefined, ReturnType<typeof readFaults>])[] = [
    [undefined, { faults: NO_FAULTS, unknown: [] }],
    ['', { faults: NO_FAULTS, unknown: [] }],
    ['unreachable', { faults: unreachable, unknown: [] }],
    [
      ' slow=1m30s , full',
      { faults: { isUnreachable: false, delayMs: 90_000, isFull: true }, unknown: [] },
    ],
    ['slow=-2s', { faults: NO_FAULTS, unknown: [] }],
    ['slow, gone,full', { faults: { ...NO_FAULTS, isFull: true }, unknown: ['slow', 'gone'] }],
    ['slow=2', { faults: NO_FAULTS, unknown: ['slow=2'] }],
  ];
  for (const [words, expected] of table) assert.deepEqual(readFaults(words), expected, words);
});

test('an unreachable member refuses calls and breaks watches off, and comes back', async () => {
  await using cluster = await startCluster();
  const { client, clock } = cluster;
  const faulty = new FaultyMember(client, clock);
  const watch = faulty.client.watch(Node, { sendInitialEvents: true })[Symbol.asyncIterator]();
  assert.equal((await watch.next()).value?.type, 'ADDED');
  faulty.set(unreachable);
  const drained = (async () => {
    while (!(await watch.next()).done);
  })();
  await assert.rejects(drained, ConnectionError);
  await assert.rejects(faulty.client.list(Node), ConnectionError);
  await assert.rejects(faulty.client.ready?.() ?? Promise.resolve(), ConnectionError);
  assert.equal((await client.list(Node)).items.length, 3, 'the member itself is well');
  faulty.set(NO_FAULTS);
  assert.equal((await faulty.client.list(Node)).items.length, 3);
});

test('a slow member answers later, and an abort does not wait for it', async () => {
  await using cluster = await startCluster();
  const { client, clock } = cluster;
  const faulty = new FaultyMember(client, clock);
  faulty.set({ ...NO_FAULTS, delayMs: 2000 });
  let isAnswered = false;
  const answer = faulty.client.list(Node).then(() => {
    isAnswered = true;
  });
  await clock.advance(1999);
  assert.equal(isAnswered, false);
  await clock.advance(1);
  await answer;
  assert.equal(isAnswered, true);
  const impatient = new AbortController();
  const given = faulty.client.list(Node, { signal: impatient.signal });
  impatient.abort(new Error('no more patience'));
  await assert.rejects(given, /no more patience/);
});

test('a full member keeps its pods and takes no more', async () => {
  await using cluster = await startCluster({ nodes: [{ count: 1 }] });
  const { client, clock } = cluster;
  const pod = (name: string) => ({
    metadata: { namespace: 'default', name },
    spec: { containers: [{ name: 'main', image: 'app:1' }] },
  });
  const isRunning = async (name: string) =>
    (await client.get(Pod, { namespace: 'default', name })).status?.phase === 'Running';
  await client.create(Pod, pod('early'));
  await cluster.until(() => isRunning('early'));
  await fillNodes(client, true);
  await client.create(Pod, pod('late'));
  await clock.advance(60_000);
  assert.deepEqual([await isRunning('early'), await isRunning('late')], [true, false]);
  await fillNodes(client, false);
  await cluster.until(() => isRunning('late'));
});
