import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import {
  type HomeFacts,
  homeCondition,
} from '@perigee/scheduling/clusters/sharding/home-condition';

const scheduler = (name: string, phase: string, metadata: object = {}): [string, Scheduler] => [
  name,
  { metadata: { name, ...metadata }, spec: {}, status: { phase } } as never,
];

const schedulers = new Map([
  scheduler('one', 'Active'),
  scheduler('two', 'Active'),
  scheduler('dead', 'Unavailable'),
  scheduler('gone', 'Active', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
]);

const reasonFor = (requestedHome: string | undefined, facts: Partial<HomeFacts> = {}) => {
  const cluster = {
    metadata: { name: 'c' },
    spec: { homeScheduler: requestedHome },
  } as ClusterRecord;
  const loads = { of: (name: string) => (name === 'two' ? 100 : 10), cap: 105 };
  const { home = 'one', ...more } = facts;
  const all = { cluster, weight: 8, schedulers, loads, sharding: 'sticky-geo', ...more } as const;
  return homeCondition({ ...all, home })?.reason;
};

test('a wish was followed, or there is a reason why not', () => {
  assert.equal(reasonFor('one'), 'HomeAsWished');
  assert.equal(reasonFor('nobody'), 'NoSuchScheduler');
  assert.equal(reasonFor('dead'), 'SchedulerNotActive');
  assert.equal(reasonFor('gone'), 'SchedulerNotActive');
  assert.equal(reasonFor('two'), 'SchedulerFull');
  assert.equal(reasonFor('two', { weight: 5 }), 'HomeKept');
  assert.equal(reasonFor('two', { sharding: 'ring' }), 'WishNotCounted');
});

test('without a wish there is nothing to say, unless nobody has the cluster', () => {
  assert.equal(reasonFor(undefined), undefined);
  const cluster = { metadata: { name: 'c' }, spec: {} } as ClusterRecord;
  const facts = { cluster, weight: 1, loads: { of: () => 0, cap: 1 }, sharding: 'ring' } as const;
  assert.equal(homeCondition({ ...facts, schedulers })?.reason, 'NoActiveScheduler');
  assert.equal(homeCondition({ ...facts, schedulers: new Map() }), undefined);
});
