import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidObjectError } from '@perigee/schema/errors';
import { parse } from 'yaml';
import {
  parsePodGroupLevelRules,
  podGroupLevelRuleFor,
} from '../../../src/kinds/groups/pod-group-level-rules.ts';

/** The conf as it stands in the ConfigMap. */
const rulesOf = (configMap: string) =>
  parsePodGroupLevelRules(parse(parse(configMap).data['volcano-controller.conf']));

const errorsOf = (conf: string): readonly string[] => {
  try {
    parsePodGroupLevelRules(parse(conf));
    return [];
  } catch (error) {
    if (error instanceof InvalidObjectError) {
      return error.errors.map(({ field, reason }) => `${field} ${reason}`);
    }
    throw error;
  }
};

describe('the rules for the owners of PodGroups', () => {
  it('are read as the design writes them first', () => {
    assert.deepEqual(
      rulesOf(`
apiVersion: v1
kind: ConfigMap
metadata: {name: volcano-controller-configmap, namespace: volcano-system}
data:
  volcano-controller.conf: |
    podgroup-level-rules:
    - apiversion: apps/v1                    
      kind: deployment
      adjust-level: 0
    - apiversion: batch/v1                    
      kind: job
      adjust-level: 0
    - apiversion: argoproj.io/v1alpha1                   
      kind: workflow
      adjust-level: -1
`),
      [
        { apiVersion: 'apps/v1', kind: 'deployment', adjustLevel: 0 },
        { apiVersion: 'batch/v1', kind: 'job', adjustLevel: 0 },
        { apiVersion: 'argoproj.io/v1alpha1', kind: 'workflow', adjustLevel: -1 },
      ],
    );
  });

  it('are read as the design writes them later', () => {
    assert.deepEqual(
      rulesOf(`
data:
  volcano-controller.conf: |
    podgroupLevel:
    - apiversion: apps/v1
      kind: deployment
      adjust-level: 0
    - apiversion: argoproj.io/v1alpha1
      kind: workflow
      adjust-level: -1
`),
      [
        { apiVersion: 'apps/v1', kind: 'deployment', adjustLevel: 0 },
        { apiVersion: 'argoproj.io/v1alpha1', kind: 'workflow', adjustLevel: -1 },
      ],
    );
  });

  it('may be spelled as Kubernetes spells things, and leave out the level', () => {
    assert.deepEqual(
      parsePodGroupLevelRules({
        'podgroup-level-rules': [
          { apiVersion: 'v1', kind: 'ReplicationController' },
          { apiVersion: 'x.io/v1', kind: 'Flow', adjustLevel: -2 },
        ],
      }),
      [
        { apiVersion: 'v1', kind: 'replicationcontroller', adjustLevel: 0 },
        { apiVersion: 'x.io/v1', kind: 'flow', adjustLevel: -2 },
      ],
    );
  });

  for (const [what, conf, rules] of [
    ['nothing', '', undefined],
    ['something else', 'networkTopologyDiscovery: []', undefined],
    ['an empty key', 'podgroupLevel:', undefined],
    ['an empty list', 'podgroup-level-rules: []', []],
  ] as const) {
    it(`are ${rules === undefined ? 'not given' : 'none'} in a conf with ${what}`, () => {
      assert.deepEqual(parsePodGroupLevelRules(parse(conf)), rules);
    });
  }

  it('are found whatever the case of the kind, but not in another version', () => {
    const rules =
      parsePodGroupLevelRules(parse('podgroupLevel: [{apiversion: apps/v1, kind: deployment}]')) ??
      [];
    assert.equal(
      podGroupLevelRuleFor(rules, { apiVersion: 'apps/v1', kind: 'Deployment' }),
      rules[0],
    );
    assert.equal(
      podGroupLevelRuleFor(rules, { apiVersion: 'apps/v1beta1', kind: 'Deployment' }),
      undefined,
    );
    assert.equal(
      podGroupLevelRuleFor(rules, { apiVersion: 'apps/v1', kind: 'ReplicaSet' }),
      undefined,
    );
  });
});

describe('the rules for the owners of PodGroups are refused', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['when the conf is no mapping', '- a', ['volcano-controller.conf FieldValueInvalid']],
    ['when they are no list', 'podgroupLevel: {kind: job}', ['podgroupLevel FieldValueInvalid']],
    ['when one is no mapping', 'podgroupLevel: [job]', ['podgroupLevel[0] FieldValueInvalid']],
    [
      'under both names',
      'podgroup-level-rules: []\npodgroupLevel: []',
      ['podgroupLevel FieldValueForbidden'],
    ],
    [
      'without a kind of owner',
      'podgroup-level-rules: [{adjust-level: 0}]',
      [
        'podgroup-level-rules[0].apiversion FieldValueRequired',
        'podgroup-level-rules[0].kind FieldValueRequired',
      ],
    ],
    [
      'with a kind that cannot exist',
      'podgroupLevel: [{apiversion: apps/v1/x, kind: my kind}]',
      ['podgroupLevel[0].apiversion FieldValueInvalid', 'podgroupLevel[0].kind FieldValueInvalid'],
    ],
    [
      'with a level above the owner',
      'podgroupLevel: [{apiversion: apps/v1, kind: job, adjust-level: 1}]',
      ['podgroupLevel[0].adjust-level FieldValueInvalid'],
    ],
    [
      'with a level that is not whole',
      'podgroupLevel: [{apiversion: apps/v1, kind: job, adjustLevel: -0.5}]',
      ['podgroupLevel[0].adjustLevel FieldValueInvalid'],
    ],
    [
      'with a level that is text',
      'podgroupLevel: [{apiversion: apps/v1, kind: job, adjust-level: "-1"}]',
      ['podgroupLevel[0].adjust-level FieldValueInvalid'],
    ],
    [
      'with a field that rules do not have',
      'podgroupLevel: [{apiversion: apps/v1, kind: job, adjust_level: -1}]',
      ['podgroupLevel[0].adjust_level FieldValueForbidden'],
    ],
    [
      'with two spellings of a field',
      'podgroupLevel: [{apiversion: apps/v1, apiVersion: batch/v1, kind: job}]',
      ['podgroupLevel[0].apiVersion FieldValueForbidden'],
    ],
    [
      'when they are too many',
      `podgroupLevel: [${'{},'.repeat(257)}]`,
      ['podgroupLevel FieldValueTooMany'],
    ],
    [
      'twice for one kind',
      'podgroupLevel: [{apiversion: apps/v1, kind: job}, {apiversion: apps/v1, kind: Job, adjust-level: -1}]',
      ['podgroupLevel[1] FieldValueDuplicate'],
    ],
  ];
  for (const [why, conf, errors] of cases) {
    it(why, () => assert.deepEqual(errorsOf(conf), errors));
  }
});
