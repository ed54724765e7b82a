import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterTaintPolicy } from '../../../src/kinds/clusters/cluster-taint-policy.ts';
import { assertRefused, storedSpec, withSpec } from '../placement/admission.ts';

const HEAD = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterTaintPolicy
metadata:
  name: lost
`;

test('a policy is stored as written, with every field that Karmada has', () => {
  const spec = {
    targetClusters: { clusterNames: ['m1'], exclude: ['m2'] },
    addOnConditions: [{ conditionType: 'Ready', operator: 'NotIn', statusValues: ['True'] }],
    removeOnConditions: [
      { conditionType: 'Ready', operator: 'In', statusValues: ['True'], forSeconds: 60 },
    ],
    taints: [
      { key: 'example.com/lost', effect: 'NoExecute' },
      { key: 'example.com/lost', effect: 'NoSchedule', value: 'yes' },
    ],
  };
  assert.deepEqual(storedSpec(ClusterTaintPolicy, withSpec(HEAD, JSON.stringify(spec))), spec);
});

const TAINTS = 'taints: [{ key: a, effect: NoExecute }]\n';
const condition = (rest: string): string => `${TAINTS}addOnConditions: [{ ${rest} }]`;

for (const [title, spec, field, message] of [
  ['a policy without taints', 'taints: []', 'spec.taints', /at least 1 items/],
  [
    'the same taint twice',
    'taints: [{ key: a, effect: NoExecute }, { key: a, effect: NoExecute, value: b }]',
    'spec.taints',
    /same key and effect/,
  ],
  [
    'an unknown effect',
    'taints: [{ key: a, effect: Evict }]',
    'spec.taints[0].effect',
    /NoExecute/,
  ],
  ['what is no key', 'taints: [{ key: a b, effect: NoExecute }]', 'spec.taints[0].key', /match/],
  [
    'an unknown operator',
    condition('conditionType: Ready, operator: Exists, statusValues: ["True"]'),
    'spec.addOnConditions[0].operator',
    /NotIn/,
  ],
  [
    'a status that no condition has',
    condition('conditionType: Ready, operator: In, statusValues: [NotReady]'),
    'spec.addOnConditions[0].statusValues[0]',
    /Unknown/,
  ],
  [
    'a negative time',
    condition('conditionType: Ready, operator: In, statusValues: ["False"], forSeconds: -1'),
    'spec.addOnConditions[0].forSeconds',
    /greater than or equal to 0/,
  ],
] as const) {
  test(`${title} is refused`, () => {
    assertRefused(ClusterTaintPolicy, withSpec(HEAD, spec), { field, message });
  });
}
