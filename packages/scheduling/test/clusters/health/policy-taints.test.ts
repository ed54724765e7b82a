import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { policyTaints } from '@perigee/scheduling/clusters/health/policy-taints';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const LOST = { key: 'lost', effect: 'NoExecute' } as const;

interface ClusterState {
  readonly conditions?: { readonly [type: string]: string };
  readonly taints?: readonly ClusterTaint[];
  readonly region?: string;
}

const cluster = ({ conditions = {}, taints, region }: ClusterState): MemberCluster =>
  ({
    metadata: { name: 'm1' },
    spec: { syncMode: 'Push', ...(taints && { taints }), ...(region && { region }) },
    status: {
      conditions: Object.entries(conditions).map(([type, status]) => ({
        type,
        status,
        lastTransitionTime: '2026-01-01T00:59:00Z',
      })),
    },
  }) as never;

const ready = (operator: string, statusValues: readonly string[], forSeconds?: number) => ({
  conditionType: 'Ready',
  operator,
  statusValues,
  ...(forSeconds === undefined ? {} : { forSeconds }),
});

const policy = (spec: object, name = 'p', creationTimestamp = '2026-01-01T00:00:00Z') =>
  ({ metadata: { name, creationTimestamp }, spec: { taints: [LOST], ...spec } }) as never;

const added = { addOnConditions: [ready('In', ['False', 'Unknown'])] };
const removed = { removeOnConditions: [ready('In', ['True'])] };
const both = { ...added, ...removed };
const OLD = { ...LOST, value: 'mine', timeAdded: '2025-01-01T00:00:00Z' };
const NEW = { ...LOST, timeAdded: '2026-01-01T01:00:00Z' };

for (const [title, state, policies, expected] of [
  ['is added when the conditions match', { conditions: { Ready: 'False' } }, [both], [NEW]],
  ['is added once', { conditions: { Ready: 'False' }, taints: [OLD] }, [both], [OLD]],
  ['goes when others match', { conditions: { Ready: 'True' }, taints: [OLD] }, [both], []],
  ['stays while neither match', { conditions: { Other: 'True' }, taints: [OLD] }, [both], [OLD]],
  [
    'is not added because of a condition that the cluster does not have',
    { conditions: { Other: 'True' } },
    [{ addOnConditions: [ready('NotIn', ['True'])] }],
    [],
  ],
  [
    'is added when a status is not among the values',
    { conditions: { Ready: 'Unknown' } },
    [{ addOnConditions: [ready('NotIn', ['True'])] }],
    [NEW],
  ],
  [
    'is not added when one of the conditions does not match',
    { conditions: { Ready: 'False', Other: 'True' } },
    [
      {
        addOnConditions: [
          ...added.addOnConditions,
          { ...ready('In', ['False']), conditionType: 'Other' },
        ],
      },
    ],
    [],
  ],
  ['is not touched by a policy without conditions', { conditions: { Ready: 'True' } }, [{}], []],
  [
    'is not added to a cluster that is not meant',
    { conditions: { Ready: 'False' }, region: 'eu' },
    [{ ...both, targetClusters: { exclude: ['m1'] } }],
    [],
  ],
  [
    'is added to a cluster that a field selects',
    { conditions: { Ready: 'False' }, region: 'eu' },
    [
      {
        ...both,
        targetClusters: {
          fieldSelector: { matchExpressions: [{ key: 'region', operator: 'In', values: ['eu'] }] },
        },
      },
    ],
    [NEW],
  ],
  [
    'is left to those who added it, if its effect is another',
    { conditions: { Ready: 'True' }, taints: [{ ...OLD, effect: 'NoSchedule' }] },
    [both],
    [{ ...OLD, effect: 'NoSchedule' }],
  ],
  [
    'is gone when one policy both adds and removes it',
    { conditions: { Ready: 'True' } },
    [{ ...removed, addOnConditions: [ready('In', ['True'])] }],
    [],
  ],
] as const) {
  test(`a taint ${title}`, () => {
    const { taints } = policyTaints(
      cluster(state as never),
      policies.map((spec) => policy(spec)),
      NOW,
    );
    assert.deepEqual(taints, expected);
  });
}

test('the policy that came last has the last word, and the time of a taint stays', () => {
  const lost = cluster({ conditions: { Ready: 'False' }, taints: [OLD] });
  const takes = policy(
    { removeOnConditions: [ready('In', ['False'])] },
    'z',
    '2026-01-01T00:00:00Z',
  );
  const gives = policy(added, 'a', '2026-01-01T00:00:01Z');
  assert.equal(policyTaints(lost, [gives, takes], NOW).taints, lost.spec.taints);
  const early = policy(added, 'a', '2025-01-01T00:00:00Z');
  assert.deepEqual(policyTaints(lost, [takes, early], NOW).taints, []);
});

test('a condition can be asked to last, and the time that is left is told', () => {
  const lost = cluster({ conditions: { Ready: 'False' } });
  const after = (forSeconds: number): ClusterTaintPolicy =>
    policy({ addOnConditions: [ready('In', ['False'], forSeconds)] });
  assert.deepEqual(policyTaints(lost, [after(90)], NOW), { taints: [], nextMs: 30_000 });
  assert.deepEqual(policyTaints(lost, [after(90), after(60)], NOW), {
    taints: [NEW],
    nextMs: 30_000,
  });
});
