import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { admit } from '../../../src/kind/admit.ts';
import { PodGroup } from '../../../src/kinds/groups/pod-group.ts';
import { refusedFields } from '../admission.ts';

const podGroup = (body: string) =>
  parse(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: podgroup-1, namespace: shop}
${body}
`);

const errorsOf = (body: string): readonly string[] => refusedFields(PodGroup, podGroup(body));

describe('a PodGroup', () => {
  it('needs nothing but a name, and is in the default queue', () => {
    assert.deepEqual(admit(PodGroup, podGroup('')).object.spec, { queue: 'default' });
  });

  it('has every field of Volcano', () => {
    const input = podGroup(`
spec:
  minMember: 3
  minTaskMember: {master: 1, worker: 2}
  queue: research
  priorityClassName: high
  minResources: {cpu: "3", memory: 6Gi}
  networkTopology: {mode: soft, highestTierAllowed: 2}
  subGroupPolicy:
    - name: shards
      labelSelector: {matchLabels: {role: worker}}
      matchLabelKeys: [shard]
      subGroupSize: 2
      minSubGroups: 1
      networkTopology: {mode: hard, highestTierName: rack}
status:
  phase: Inqueue
  running: 1
  succeeded: 0
  failed: 0
  conditions:
    - type: Unschedulable
      status: "True"
      transitionID: 7b0ab5d8
      lastTransitionTime: "2025-06-01T10:00:00Z"
      reason: NotEnoughResources
      message: 2 of 3 pods fit
`);
    const { spec, status } = admit(PodGroup, input).object;
    assert.deepEqual({ spec, status }, { spec: input.spec, status: input.status });
  });

  it('gets the defaults of its parts', () => {
    const { spec } = admit(
      PodGroup,
      podGroup('spec: {networkTopology: {highestTierAllowed: 1}, subGroupPolicy: [{name: a}]}'),
    ).object;
    assert.deepEqual(spec, {
      queue: 'default',
      networkTopology: { mode: 'hard', highestTierAllowed: 1 },
      subGroupPolicy: [{ name: 'a', subGroupSize: 1, minSubGroups: 0 }],
    });
  });
});

describe('a PodGroup is refused', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['with fewer than no members', 'spec: {minMember: -1}', 'spec.minMember FieldValueInvalid'],
    [
      'with fewer than no members of a task',
      'spec: {minTaskMember: {worker: -1}}',
      'spec.minTaskMember.worker FieldValueInvalid',
    ],
    ['in a queue that cannot exist', 'spec: {queue: My Queue}', 'spec.queue FieldValueInvalid'],
    [
      'with a tier by number and by name',
      'spec: {networkTopology: {highestTierAllowed: 1, highestTierName: rack}}',
      'spec.networkTopology.highestTierName FieldValueForbidden',
    ],
    [
      'with a tier by number and by name in a part',
      'spec: {subGroupPolicy: [{networkTopology: {highestTierAllowed: 1, highestTierName: rack}}]}',
      'spec.subGroupPolicy[0].networkTopology.highestTierName FieldValueForbidden',
    ],
    [
      'with an unknown mode',
      'spec: {networkTopology: {mode: firm}}',
      'spec.networkTopology.mode FieldValueNotSupported',
    ],
    [
      'with parts of no pods',
      'spec: {subGroupPolicy: [{subGroupSize: 0}]}',
      'spec.subGroupPolicy[0].subGroupSize FieldValueInvalid',
    ],
    ['in an unknown phase', 'status: {phase: Waiting}', 'status.phase FieldValueNotSupported'],
  ];
  for (const [why, body, error] of cases) {
    it(why, () => assert.deepEqual(errorsOf(body), [error]));
  }
});
