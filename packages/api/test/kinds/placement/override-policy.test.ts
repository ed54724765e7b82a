import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterOverridePolicy } from '../../../src/kinds/placement/cluster-override-policy.ts';
import { OverridePolicy } from '../../../src/kinds/placement/override-policy.ts';
import { assertRefused, storedSpec, withSpec } from './admission.ts';

const HEAD = `
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata:
  name: shop
  namespace: default
`;

const CLUSTER_HEAD = `
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterOverridePolicy
metadata:
  name: shop
`;

const RULES = [
  {
    targetCluster: { labelSelector: { matchLabels: { site: 'north' } } },
    overriders: {
      imageOverrider: [
        {
          predicate: { path: '/spec/template/spec/containers/0/image' },
          component: 'Registry',
          operator: 'replace',
          value: 'registry.example.com',
        },
        { component: 'Tag', operator: 'remove' },
      ],
      commandOverrider: [{ containerName: 'shop', operator: 'add', value: ['--debug'] }],
      argsOverrider: [{ containerName: 'shop', operator: 'remove', value: ['--fast'] }],
      labelsOverrider: [{ operator: 'add', value: { 'example.com/site': 'north' } }],
      annotationsOverrider: [{ operator: 'remove', value: { note: 'any text at all' } }],
    },
  },
  {
    overriders: {
      fieldOverrider: [
        {
          fieldPath: '/data/config.yaml',
          yaml: [
            { subPath: '/db/host', operator: 'replace', value: 'db.north' },
            { subPath: '/db/ports', operator: 'add', value: [1, 2] },
            { subPath: '/debug', operator: 'remove' },
          ],
        },
        {
          fieldPath: '/data/config.json',
          json: [{ subPath: '/limit', operator: 'add', value: { cpu: 1 } }],
        },
      ],
      plaintext: [
        { path: '/spec/replicas', operator: 'replace', value: 3 },
        { path: '/metadata/annotations', operator: 'add', value: { a: 'b' } },
      ],
    },
  },
];

test('every way to override is stored as written', () => {
  const spec = storedSpec(
    OverridePolicy,
    withSpec(HEAD, `overrideRules: ${JSON.stringify(RULES)}`),
  );
  assert.deepEqual(spec, { overrideRules: RULES });
});

test('the earlier form without rules is accepted, and so are empty overriders beside rules', () => {
  const earlier = {
    targetCluster: { clusterNames: ['member1'] },
    overriders: { plaintext: [{ path: '/spec/replicas', operator: 'replace', value: 1 }] },
  };
  assert.deepEqual(
    storedSpec(ClusterOverridePolicy, withSpec(CLUSTER_HEAD, JSON.stringify(earlier))),
    earlier,
  );
  const both = { overrideRules: RULES, overriders: {} };
  assert.deepEqual(
    storedSpec(ClusterOverridePolicy, withSpec(CLUSTER_HEAD, JSON.stringify(both))),
    both,
  );
});

test('selectors get the namespace of their policy', () => {
  const spec = storedSpec(
    OverridePolicy,
    withSpec(HEAD, 'resourceSelectors: [{ apiVersion: v1, kind: Secret }]'),
  );
  assert.deepEqual(spec.resourceSelectors, [
    { apiVersion: 'v1', kind: 'Secret', namespace: 'default' },
  ]);
});

test('a selector outside the namespace of the policy is refused', () => {
  assertRefused(
    OverridePolicy,
    withSpec(HEAD, 'resourceSelectors: [{ apiVersion: v1, kind: Secret, namespace: other }]'),
    { field: 'spec.resourceSelectors[0].namespace', message: /must be default/ },
  );
});

const rule = (overriders: string): string => `overrideRules: [{ overriders: { ${overriders} } }]`;
const AT = 'spec.overrideRules[0].overriders';

for (const [title, spec, field, message] of [
  [
    'the earlier target beside rules',
    `${rule('plaintext: []')}\ntargetCluster: {}`,
    'spec.targetCluster',
    /exclude each other/,
  ],
  [
    'the earlier overriders beside rules',
    `${rule('plaintext: []')}\noverriders: { fieldOverrider: [{ fieldPath: /a, json: [{ subPath: /b, operator: remove }] }] }`,
    'spec.overriders',
    /exclude each other/,
  ],
  ['a rule that changes nothing', 'overrideRules: [{}]', `${AT}`, /Required value/],
  [
    'an image that becomes nothing',
    rule('imageOverrider: [{ component: Tag, operator: replace }]'),
    `${AT}.imageOverrider[0].value`,
    /add and replace need a value/,
  ],
  [
    'an image at no path',
    rule('imageOverrider: [{ predicate: { path: image }, component: Tag, operator: remove }]'),
    `${AT}.imageOverrider[0].predicate.path`,
    /should match/,
  ],
  [
    'a word that replaces another',
    rule('commandOverrider: [{ containerName: a, operator: replace }]'),
    `${AT}.commandOverrider[0].operator`,
    /add.*remove/,
  ],
  [
    'a key that is no label',
    rule('labelsOverrider: [{ operator: add, value: { "a b": c } }]'),
    `${AT}.labelsOverrider[0].value`,
    /name part must consist of/,
  ],
  [
    'a value that is no label',
    rule('labelsOverrider: [{ operator: add, value: { a: "b c" } }]'),
    `${AT}.labelsOverrider[0].value.a`,
    /should match/,
  ],
  [
    'a key that is no annotation',
    rule('annotationsOverrider: [{ operator: add, value: { /a: c } }]'),
    `${AT}.annotationsOverrider[0].value`,
    /prefix part must be non-empty/,
  ],
  [
    'a document without changes',
    rule('fieldOverrider: [{ fieldPath: /data/a }]'),
    `${AT}.fieldOverrider[0]`,
    /either json or yaml/,
  ],
  [
    'a document in two formats',
    rule(
      'fieldOverrider: [{ fieldPath: /data/a, json: [{ subPath: /a, operator: remove }], yaml: [{ subPath: /a, operator: remove }] }]',
    ),
    `${AT}.fieldOverrider[0]`,
    /either json or yaml/,
  ],
  [
    'a change of a document to nothing',
    rule('fieldOverrider: [{ fieldPath: /data/a, yaml: [{ subPath: /a, operator: add }] }]'),
    `${AT}.fieldOverrider[0].yaml[0].value`,
    /add needs a value/,
  ],
  [
    'a removal that has a value',
    rule(
      'fieldOverrider: [{ fieldPath: /data/a, json: [{ subPath: /a, operator: remove, value: 1 }] }]',
    ),
    `${AT}.fieldOverrider[0].json[0].value`,
    /remove takes no value/,
  ],
  [
    'a document at no path',
    rule('fieldOverrider: [{ fieldPath: data, json: [{ subPath: /a, operator: remove }] }]'),
    `${AT}.fieldOverrider[0].fieldPath`,
    /should match/,
  ],
] as const) {
  test(`${title} is refused`, () => {
    assertRefused(ClusterOverridePolicy, withSpec(CLUSTER_HEAD, spec), { field, message });
  });
}

const ANOTHER = /not which object it is/;
const MARK = /mark of the system/;
const IMAGE = 'component: Repository, operator: replace, value: kube-system';

for (const [title, overriders, field, message] of [
  [
    'the whole object',
    'plaintext: [{ path: "", operator: replace, value: {} }]',
    'plaintext[0].path',
    ANOTHER,
  ],
  ...[
    '/apiVersion',
    '/kind',
    '/metadata',
    '/metadata/name',
    '/metadata/namespace',
    '/metadata/uid',
    '/metadata/generation',
  ].map(
    (path) =>
      [
        path,
        `plaintext: [{ path: ${path}, operator: replace, value: x }]`,
        'plaintext[0].path',
        ANOTHER,
      ] as const,
  ),
  [
    'a name that is taken away',
    'plaintext: [{ path: /metadata/name, operator: remove }]',
    'plaintext[0].path',
    ANOTHER,
  ],
  [
    'a namespace as an image',
    `imageOverrider: [{ predicate: { path: /metadata/namespace }, ${IMAGE} }]`,
    'imageOverrider[0].predicate.path',
    ANOTHER,
  ],
  [
    'a namespace as a document',
    'fieldOverrider: [{ fieldPath: /metadata/namespace, yaml: [{ subPath: "", operator: replace, value: x }] }]',
    'fieldOverrider[0].fieldPath',
    ANOTHER,
  ],
  [
    'a mark among labels',
    'labelsOverrider: [{ operator: add, value: { work.karmada.io/permanent-id: x } }]',
    'labelsOverrider[0].value',
    MARK,
  ],
  [
    'a mark among annotations',
    'annotationsOverrider: [{ operator: replace, value: { resourcebinding.karmada.io/name: x } }]',
    'annotationsOverrider[0].value',
    MARK,
  ],
  [
    'a mark at its path',
    'plaintext: [{ path: /metadata/labels/karmada.io~1managed, operator: add, value: x }]',
    'plaintext[0].path',
    MARK,
  ],
  [
    'a mark among all labels',
    'plaintext: [{ path: /metadata/labels, operator: replace, value: { karmada.io/managed: "false" } }]',
    'plaintext[0].value',
    MARK,
  ],
] as const) {
  for (const [kind, head] of [
    [OverridePolicy, HEAD],
    [ClusterOverridePolicy, CLUSTER_HEAD],
  ] as const) {
    test(`a ${kind.kind} cannot change which object it is: ${title}`, () => {
      assertRefused(kind, withSpec(head, rule(overriders)), { field: `${AT}.${field}`, message });
      const earlier = `overriders: { ${overriders} }`;
      assertRefused(kind, withSpec(head, earlier), { field: `spec.overriders.${field}`, message });
    });
  }
}

test('an override may change labels and annotations, wishes of users among them', () => {
  const overriders = {
    annotationsOverrider: [
      { operator: 'add', value: { 'work.karmada.io/conflict-resolution': 'overwrite' } },
    ],
    labelsOverrider: [
      { operator: 'add', value: { 'resourcetemplate.karmada.io/retain-replicas': 'true' } },
      { operator: 'remove', value: { 'propagationpolicy.karmada.io/permanent-id': '' } },
    ],
    plaintext: [
      { path: '/metadata/labels/namespace', operator: 'add', value: 'x' },
      { path: '/spec/template/metadata/name', operator: 'add', value: 'x' },
    ],
  };
  const spec = storedSpec(
    OverridePolicy,
    withSpec(HEAD, `overrideRules: ${JSON.stringify([{ overriders }])}`),
  );
  assert.deepEqual(spec, { overrideRules: [{ overriders }] });
});
