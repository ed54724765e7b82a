import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { ConditionStatus } from '@perigee/api/meta/condition';
import {
  conditionTaints,
  taintsMessage,
} from '@perigee/scheduling/clusters/health/condition-taints';

const NOW = Date.UTC(2026, 0, 1);
const timeAdded = '2026-01-01T00:00:00Z';
const notReady: ClusterTaint = { key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule' };
const unreachable: ClusterTaint = { key: 'cluster.karmada.io/unreachable', effect: 'NoSchedule' };
const own: ClusterTaint = { key: 'cluster.karmada.io/not-ready', effect: 'NoExecute', timeAdded };
const cordon: ClusterTaint = { key: 'cluster.karmada.io/unschedulable', effect: 'NoSchedule' };

const cases: readonly (readonly [
  string,
  readonly ClusterTaint[],
  ConditionStatus | undefined,
  readonly ClusterTaint[],
])[] = [
  ['nothing known yet', [], undefined, [{ ...notReady, timeAdded }]],
  ['not ready', [cordon], 'False', [cordon, { ...notReady, timeAdded }]],
  ['unknown', [], 'Unknown', [{ ...unreachable, timeAdded }]],
  ['not ready after unknown', [unreachable, own], 'False', [own, { ...notReady, timeAdded }]],
  ['unknown after not ready', [notReady], 'Unknown', [{ ...unreachable, timeAdded }]],
  ['ready again', [notReady, cordon, unreachable], 'True', [cordon]],
  ['what users add stays', [own, cordon], 'True', [own, cordon]],
  [
    'what drives work out gets its time',
    [{ key: 'x', effect: 'NoExecute' }],
    'True',
    [{ key: 'x', effect: 'NoExecute', timeAdded }],
  ],
];

describe('taints by condition', () => {
  for (const [name, taints, ready, expected] of cases) {
    it(name, () => {
      const after = conditionTaints(taints, ready, NOW);
      assert.deepEqual(after, expected);
      assert.equal(conditionTaints(after, ready, NOW + 60_000), after);
    });
  }

  it('are told in Events', () => {
    assert.equal(taintsMessage([]), 'cluster now does not have taints');
    assert.equal(
      taintsMessage([notReady, { ...cordon, value: 'v' }]),
      'cluster now has taints([{Key:cluster.karmada.io/not-ready,Effect:NoSchedule},{Key:cluster.karmada.io/unschedulable,Value:v,Effect:NoSchedule}])',
    );
  });
});
