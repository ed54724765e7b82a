import assert from 'node:assert/strict';
import { test } from 'node:test';
import { triggerStatus } from '@perigee/scheduling/placement/triggers/trigger-status';

const NOW = Date.parse('2026-01-01T00:00:00Z');

const sharesOf = (from: number) =>
  Array.from({ length: 100 }, (_, at) => ({ name: `cluster-${from + at}`, replicas: 1 }));

test('the status of a trigger fits into an object, also when its targets are in hundreds of clusters', () => {
  const targets = Array.from({ length: 10_000 }, (_, at) => ({
    resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: `w${at}` },
    verdict: {
      result: 'Scheduled' as const,
      before: sharesOf(0),
      after: sharesOf(100),
      replicasMoved: 100,
    },
  }));
  const trigger = { metadata: { name: 't', generation: 1 }, spec: {} } as never;
  const status = triggerStatus(trigger, targets as never, NOW);
  assert.ok(JSON.stringify(status).length < 1024 ** 2);
  assert.equal(status.counts?.total, 10_000);
  assert.equal(status.targets?.length, 500);
  assert.deepEqual(status.targets[0]?.after, sharesOf(100));
  assert.deepEqual(Object.keys(status.targets.at(-1) ?? {}).toSorted(), [
    'apiVersion',
    'kind',
    'name',
    'namespace',
    'replicasMoved',
    'result',
  ]);
  assert.deepEqual(
    triggerStatus({ ...(trigger as object), status } as never, targets as never, NOW),
    status,
  );
});
