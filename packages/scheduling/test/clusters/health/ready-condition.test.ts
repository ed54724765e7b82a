import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConditionStatus } from '@perigee/api/meta/condition';
import type { NewCondition } from '@perigee/api/values/conditions';
import {
  countedCondition,
  type Sighting,
  type Streak,
  sightedCondition,
} from '@perigee/scheduling/clusters/health/ready-condition';

const NOW = 1_000_000;
const THRESHOLDS = { successMs: 30_000, failureMs: 30_000 };

/** A reason that no look at a cluster gives. */
const BEFORE = 'ClusterStatusUnknown';

const counted = (status: ConditionStatus): NewCondition<'MemberCluster', 'Ready'> => ({
  type: 'Ready',
  status,
  reason: BEFORE,
  message: 'as it counted',
});

const well = (agoMs: number): Streak => ({ isWell: true, sinceMs: NOW - agoMs });
const bad = (agoMs: number): Streak => ({ isWell: false, sinceMs: NOW - agoMs });

const cases: readonly (readonly [
  string,
  ConditionStatus | undefined,
  Sighting['kind'],
  Streak | undefined,
  string,
])[] = [
  ['joined and healthy', undefined, 'healthy', undefined, 'ClusterReady'],
  ['joined and not reachable', undefined, 'unreachable', undefined, 'ClusterNotReachable'],
  ['stays ready', 'True', 'healthy', well(100_000), 'ClusterReady'],
  ['fails for the first time', 'True', 'unreachable', well(100_000), BEFORE],
  ['fails for a while', 'True', 'unreachable', bad(29_999), BEFORE],
  ['fails for long enough', 'True', 'unreachable', bad(30_000), 'ClusterNotReachable'],
  ['stays not ready', 'False', 'unreachable', bad(100_000), 'ClusterNotReachable'],
  ['fails in another way', 'False', 'unhealthy', bad(1000), 'ClusterNotReady'],
  ['recovers', 'False', 'healthy', bad(100_000), BEFORE],
  ['has recovered for a while', 'False', 'healthy', well(29_999), BEFORE],
  ['has recovered for long enough', 'False', 'healthy', well(30_000), 'ClusterReady'],
  ['was unknown and fails', 'Unknown', 'unhealthy', undefined, 'ClusterNotReady'],
  ['was unknown and recovers', 'Unknown', 'healthy', well(1000), BEFORE],
  ['fails right after a restart', 'True', 'unreachable', undefined, BEFORE],
  ['is well right after a restart', 'True', 'healthy', undefined, 'ClusterReady'],
];

describe('the Ready condition', () => {
  for (const [name, before, kind, streak, reason] of cases) {
    it(`of a cluster that ${name}`, () => {
      const { condition } = countedCondition(
        before && counted(before),
        sightedCondition({ kind, why: 'why' }),
        streak,
        { nowMs: NOW, ...THRESHOLDS },
      );
      assert.equal(condition.reason, reason);
    });
  }

  it('counts how long a cluster has looked the same', () => {
    const seen = sightedCondition({ kind: 'unreachable' });
    const at = (nowMs: number, streak?: Streak) =>
      countedCondition(counted('True'), seen, streak, { nowMs, ...THRESHOLDS });
    const first = at(NOW);
    assert.deepEqual(first.streak, { isWell: false, sinceMs: NOW });
    assert.equal(at(NOW + 5000, first.streak).streak, first.streak);
  });

  it('says what upstream says', () => {
    const say = (sighting: Sighting) => {
      const { status, reason, message } = sightedCondition(sighting);
      return `${status} ${reason}: ${message}`;
    };
    assert.deepEqual(
      [
        say({ kind: 'healthy' }),
        say({ kind: 'unhealthy' }),
        say({ kind: 'unreachable' }),
        say({ kind: 'no-way', why: 'no secret' }),
      ],
      [
        'True ClusterReady: cluster is healthy and ready to accept workloads',
        'False ClusterNotReady: cluster is reachable but health endpoint responded without ok',
        'False ClusterNotReachable: cluster is not reachable',
        'False StatusCollectionFailed: failed to create a ClusterClient: no secret',
      ],
    );
  });
});
