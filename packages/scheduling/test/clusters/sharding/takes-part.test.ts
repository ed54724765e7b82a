import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { staysForMs, takesWork } from '@perigee/scheduling/clusters/sharding/takes-part';

const nowMs = Date.UTC(2026, 0, 1, 0, 0, 10);
const scheduler = (phase?: string, isLeaving = false) =>
  ({
    metadata: { name: 's', ...(isLeaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    status: {
      phase,
      conditions: [
        { type: 'Available', status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' },
      ],
    },
  }) as never;

describe('a scheduler', () => {
  const cases = [
    ['that is there takes work and keeps its clusters', scheduler('Active'), true, Infinity],
    ['that leaves does neither', scheduler('Active', true), false, 0],
    ['that fell silent keeps its clusters for a while', scheduler('Unavailable'), false, 50_000],
    ['that was never there has nothing to keep', scheduler(), false, 0],
  ] as const;
  for (const [title, one, takes, staysMs] of cases) {
    it(title, () => {
      assert.equal(takesWork(one), takes);
      assert.equal(staysForMs(one, 60_000, nowMs), staysMs);
    });
  }
});
