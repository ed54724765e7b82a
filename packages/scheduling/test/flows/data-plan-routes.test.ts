import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plannedRoutes } from '../../src/flows/data-plan-routes.ts';
import type { DataPlanWorld } from '../../src/flows/data-plan-world.ts';
import type { Operation } from '../../src/flows/operation.ts';

const MIB = 2 ** 20;

/** A finished DataLoad from the origin into a cluster. */
const load = (to: string, bytes: number, seconds: number): Operation =>
  ({
    kind: 'DataLoad',
    metadata: { name: 'load', namespace: 'default' },
    spec: {},
    status: {
      phase: 'Complete',
      clusters: [
        {
          name: to,
          startTime: '2026-01-01T00:00:00Z',
          completionTime: new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
          result: { bytes, bytesCopied: bytes },
        },
      ],
    },
  }) as unknown as Operation;

const speedTo = (to: string, operations: readonly Operation[]): number | undefined => {
  const world = {
    claim: { metadata: { namespace: 'default', name: 'raw' } },
    dataset: {
      metadata: { namespace: 'default', name: 'raw' },
      spec: { mounts: [{ mountPoint: 's3://bucket/raw' }] },
    },
    mounts: [],
    records: [],
    members: ['a', 'b'].map((name) => ({ metadata: { name } })),
    operations,
  };
  return plannedRoutes(world as unknown as DataPlanWorld, []).find((way) => way.to === to)
    ?.measuredSpeed;
};

test('small copies, which take as long as a pod takes to start, say little of the speed', () => {
  const small = Array.from({ length: 5 }, () => load('a', 20_000, 6));
  const large = [
    load('a', 1000 * MIB, 10),
    load('a', 1000 * MIB, 20),
    load('a', 900 * MIB, 86_400),
  ];
  assert.equal(speedTo('a', [...small, ...large]), 50 * MIB);
  assert.equal(speedTo('a', small), 20_000 / 6);
  assert.equal(speedTo('a', [load('b', 100 * MIB, 10)]), 10 * MIB, 'from the same origin');
  assert.equal(speedTo('a', []), undefined);
});
