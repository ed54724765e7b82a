import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Event } from '@perigee/kubernetes/core/event';
import type { FleetView } from '../src/top/fleet-view.ts';
import { formatView } from '../src/top/format-view.ts';
import { shareLines } from '../src/top/share-lines.ts';
import { openStage } from './command-line.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();
const many = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** A fleet with `count` items in each section. */
const fleet = (count: number): FleetView => ({
  clusters: {
    total: count,
    ready: Math.max(0, count - 1),
    clusters: many(count, (at) => ({
      name: `cluster-${at}`,
      phase: at === 0 ? 'Unreachable' : 'Ready',
      region: 'eu-west',
      free: { cpu: '7500m', memory: '32Gi', pods: '110' },
      ...(at === 0 ? { reason: 'Unreached' } : {}),
    })),
  },
  work: {
    total: count,
    scheduled: 0,
    applied: 0,
    unknownHealth: 0,
    doubtful: [],
    unmet: 0,
    staying: [],
    waiting: count,
    reasons: {},
    held: many(count, (at) => ({
      kind: 'Job',
      namespace: 'shop',
      name: `train-${at}${at === 2 ? '-with-a-name-that-goes-on-and-on-and-on-and-on-for-ever' : ''}`,
      since: ago(at),
      reason: 'WaitingForData',
      message: `the table db.sales is nowhere,\u001b[31m and ${'much more is to be said '.repeat(5)}`,
    })),
  } as never,
  queues: many(count, (at) => ({
    queue: `queue-${at}`,
    depth: 0,
    state: 'Open',
    weight: 1,
    priority: 0,
    share: 0.5,
    guarantee: {},
    deserved: {},
    capability: {},
    used: { cpu: '4', memory: '8Gi', 'example.com/accelerators': '16' },
    borrowed: {},
    pending: 1,
    running: 2,
  })),
  data: {
    sources: many(count, (at) => ({
      source: `s${at}`,
      data: `hive table db.t${at}`,
      clusters: many(count, (other) => ({ name: `cluster-${other}`, isReady: other > 0 })),
      claims: 1,
      isProvisioned: false,
    })),
    claims: [],
  },
  flows: many(count, (at) => ({
    name: `flow-${at}`,
    namespace: 'default',
    phase: at === count - 1 ? 'Executing' : 'Complete',
    complete: 1,
    steps: [
      {
        kind: 'DataLoad',
        namespace: 'default',
        name: 'warm',
        phase: at === count - 1 ? 'Executing' : 'Complete',
        clusters: ['cluster-1'],
        after: [],
        progress: { percentage: 40 },
      },
    ],
  })),
  moves: many(count, (at) => ({
    at: ago(at),
    kind: 'Deployment',
    namespace: 'shop',
    name: 'web',
    change: 'placed',
    message: '{cluster-1:2, cluster-2:3}',
  })),
});

const TITLES = ['CLUSTERS', 'HELD WORK', 'QUEUES', 'DATA', 'FLOWS', 'MOVED LATELY'];

describe('perigee top', () => {
  for (const [width, height] of [
    [80, 24],
    [120, 50],
    [80, 15],
  ] as const) {
    for (const count of [0, 1, 3, 40]) {
      it(`fits ${width}x${height} with ${count} of everything, and shows every part`, () => {
        const text = formatView(fleet(count), {
          terminal: { width, hasColours: true },
          now: NOW,
          height,
        });
        const lines = stripVTControlCharacters(text).trimEnd().split('\n');
        assert.ok(lines.length < height, `${lines.length} lines:\n${text}`);
        assert.deepEqual(
          lines.filter((line) => line.length > width),
          [],
        );
        for (const title of TITLES) assert.ok(lines.some((line) => line.startsWith(title)));
      });
    }
  }

  it('tells why work is held in a line of its own, without commands to the terminal', () => {
    const layout = { terminal: { width: 80, hasColours: false }, now: NOW, height: 50 };
    const text = formatView(fleet(1), layout);
    assert.match(
      text,
      /Job shop\/train-0 +0s +WaitingForData\n {4}the table db\.sales is nowhere,/,
    );
    assert.ok(!text.includes('\u001b'));
  });

  it('says how much it leaves out, and who shows the rest; what goes on comes first', () => {
    const layout = { terminal: { width: 80, hasColours: false }, now: NOW, height: 24 };
    const text = formatView(fleet(40), layout);
    assert.match(text, /CLUSTERS 39\/40 .*\ncluster-0 +Unreachable .*Unreached\n/);
    assert.match(text, /… \d+ more: perigee list clusters\n/);
    assert.match(text, /default\/flow-39 +Executing +1\/1 +cluster-1 +DataLoad\/warm 40%\n/);
  });

  it('shares lines in turn', () => {
    assert.deepEqual(shareLines([1, 9, 2, 9], 12), [1, 5, 2, 4]);
    assert.deepEqual(shareLines([1, 1], 12), [1, 1]);
    assert.deepEqual(shareLines([4, 4], 0), [0, 0]);
  });

  it('shows everything once where nobody looks on, and gives it to programs', async () => {
    await using stage = await openStage();
    const { client } = stage.server;
    await client.create(ClusterRecord, { metadata: { name: 'near' }, spec: {} } as never);
    const told = (name: string, kind: string, message: string) =>
      client.create(Event, {
        metadata: { namespace: 'default', name },
        involvedObject: { kind, namespace: 'default', name: 'web' },
        reason: 'ScheduleBindingSucceed',
        message,
        lastTimestamp: '2026-01-01T00:00:00Z',
      });
    const message = 'Binding has been scheduled successfully. Result: {far:0, near:2}';
    await told('of-work', 'Deployment', message);
    await told('of-binding', 'ResourceBinding', message);
    const { code, stdout, stderr } = await stage.run(['top']);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^CLUSTERS 0\/1 +PHASE.*\nnear +Pending/);
    assert.match(stdout, /\nHELD WORK none\n/);
    assert.match(stdout, /\nDeployment default\/web +\w+ +placed +\{far, near:2\}\n$/);
    const view = JSON.parse((await stage.run(['top', '-o', 'json'])).stdout);
    assert.deepEqual(Object.keys(view), ['clusters', 'work', 'queues', 'data', 'flows', 'moves']);
    assert.equal(view.moves.length, 1);
    assert.equal(view.moves[0].change, 'placed');
  });
});
