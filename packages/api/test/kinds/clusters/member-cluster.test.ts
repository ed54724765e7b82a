import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { MemberCluster } from '../../../src/kinds/clusters/member-cluster.ts';
import { assertRefused, store, storedSpec, withSpec } from '../placement/admission.ts';

const HEAD = `
apiVersion: cluster.karmada.io/v1alpha1
kind: Cluster
metadata:
  name: member1
`;

const EXISTING = store(MemberCluster, withSpec(HEAD, 'syncMode: Push\nzones: [a]'));

test('a cluster as it is registered is stored as written, with nine grades of nodes', () => {
  const { resourceModels, ...spec } = storedSpec(
    MemberCluster,
    withSpec(
      HEAD,
      `
id: 8f6c6e0a
syncMode: Push
apiEndpoint: https://10.0.0.1:6443
secretRef: { namespace: karmada-cluster, name: member1 }
impersonatorSecretRef: { namespace: karmada-cluster, name: member1-impersonator }
insecureSkipTLSVerification: true
proxyURL: socks5://proxy.example.com:1080
proxyHeader: { X-Team: shop }
provider: example
region: north
zones: [north-1, north-2]
taints:
  - { key: cluster.karmada.io/not-ready, effect: NoSchedule }
  - { key: maintenance, value: planned, effect: NoExecute, timeAdded: "2024-04-17T15:04:05Z" }
`,
    ),
  );
  assert.deepEqual(spec, {
    id: '8f6c6e0a',
    syncMode: 'Push',
    apiEndpoint: 'https://10.0.0.1:6443',
    secretRef: { namespace: 'karmada-cluster', name: 'member1' },
    impersonatorSecretRef: { namespace: 'karmada-cluster', name: 'member1-impersonator' },
    insecureSkipTLSVerification: true,
    proxyURL: 'socks5://proxy.example.com:1080',
    proxyHeader: { 'X-Team': 'shop' },
    provider: 'example',
    region: 'north',
    zones: ['north-1', 'north-2'],
    taints: [
      { key: 'cluster.karmada.io/not-ready', effect: 'NoSchedule' },
      {
        key: 'maintenance',
        value: 'planned',
        effect: 'NoExecute',
        timeAdded: '2024-04-17T15:04:05Z',
      },
    ],
  });
  const grades = resourceModels as unknown as readonly JsonObject[];
  assert.equal(grades.length, 9);
  assert.deepEqual(grades[1], {
    grade: 1,
    ranges: [
      { name: 'cpu', min: '1', max: '2' },
      { name: 'memory', min: '4Gi', max: '16Gi' },
    ],
  });
  assert.deepEqual(grades[8], {
    grade: 8,
    ranges: [
      { name: 'cpu', min: '128', max: '9223372036854775807' },
      { name: 'memory', min: '1Ti', max: '9223372036854775807' },
    ],
  });
});

test('grades that were taken away stay away', () => {
  assert.deepEqual(storedSpec(MemberCluster, withSpec(HEAD, 'syncMode: Pull'), EXISTING), {
    syncMode: 'Pull',
  });
});

test('own grades are put in order, open below and above', () => {
  const { resourceModels } = storedSpec(
    MemberCluster,
    withSpec(
      HEAD,
      `
syncMode: Push
resourceModels:
  - grade: 1
    ranges: [{ name: cpu, min: 4000m, max: 8 }]
  - grade: 0
    ranges: [{ name: cpu, min: 1, max: 4 }]
`,
    ),
  );
  assert.deepEqual(resourceModels, [
    { grade: 0, ranges: [{ name: 'cpu', min: '0', max: 4 }] },
    { grade: 1, ranges: [{ name: 'cpu', min: '4000m', max: '9223372036854775807' }] },
  ]);
});

test('one zone in the earlier field becomes the list of zones', () => {
  assert.deepEqual(storedSpec(MemberCluster, withSpec(HEAD, 'syncMode: Push\nzone: b')).zones, [
    'b',
  ]);
});

test('one zone in the earlier field replaces zones that nobody touched', () => {
  const spec = storedSpec(
    MemberCluster,
    withSpec(HEAD, 'syncMode: Push\nzone: b\nzones: [a]'),
    EXISTING,
  );
  assert.deepEqual(spec, { syncMode: 'Push', zones: ['b'] });
});

test('what is known about a cluster is kept', () => {
  const status = {
    kubernetesVersion: 'v1.36.3',
    apiEnablements: [
      { groupVersion: 'apps/v1', resources: [{ name: 'deployments', kind: 'Deployment' }] },
    ],
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'ClusterReady',
        message: 'cluster is healthy and ready to accept workloads',
        lastTransitionTime: '2024-04-17T15:04:05Z',
      },
    ],
    nodeSummary: { totalNum: 3, readyNum: 2 },
    resourceSummary: {
      allocatable: { cpu: '12', memory: '48Gi', 'nvidia.com/gpu': 4 },
      allocating: { cpu: '1' },
      allocated: { cpu: '2500m' },
      allocatableModelings: [{ grade: 2, count: 3 }],
    },
    remedyActions: ['TrafficControl'],
  };
  const cluster = store(
    MemberCluster,
    `${withSpec(HEAD, 'syncMode: Push')}status: ${JSON.stringify(status)}`,
  );
  assert.deepEqual(cluster.status, status);
});

const grades = (...ranges: readonly string[]): string =>
  `syncMode: Push\nresourceModels: [${ranges.map((range, grade) => `{ grade: ${grade}, ranges: [${range}] }`)}]`;

for (const [title, spec, field, message] of [
  ['a cluster that says not how it syncs', 'region: north', 'spec.syncMode', /Required value/],
  ['an unknown mode', 'syncMode: Both', 'spec.syncMode', /Push.*Pull/],
  [
    'an endpoint that is no URL',
    'syncMode: Push\napiEndpoint: 10.0.0.1:6443',
    'spec.apiEndpoint',
    /must be a URL such as/,
  ],
  [
    'an endpoint with a password',
    'syncMode: Push\napiEndpoint: https://me:secret@10.0.0.1',
    'spec.apiEndpoint',
    /without user/,
  ],
  [
    'a proxy of another kind',
    'syncMode: Push\nproxyURL: ftp://proxy',
    'spec.proxyURL',
    /begins with http/,
  ],
  [
    'a Secret without a name',
    'syncMode: Push\nsecretRef: { namespace: a, name: "" }',
    'spec.secretRef.name',
    /at least 1/,
  ],
  ['a region that is no label', 'syncMode: Push\nregion: a b', 'spec.region', /should match/],
  ['a zone that is no label', 'syncMode: Push\nzones: [a, b c]', 'spec.zones[1]', /should match/],
  [
    'one zone and several',
    'syncMode: Push\nzone: a\nzones: [b, c]',
    'spec.zone',
    /earlier form of zones/,
  ],
  [
    'a taint that is there twice',
    'syncMode: Push\ntaints: [{ key: a, effect: NoExecute }, { key: a, effect: NoExecute, value: b }]',
    'spec.taints[1]',
    /Duplicate value/,
  ],
  [
    'an unknown effect',
    'syncMode: Push\ntaints: [{ key: a, effect: Never }]',
    'spec.taints[0].effect',
    /NoSchedule/,
  ],
  [
    'a grade that is there twice',
    'syncMode: Push\nresourceModels: [{ grade: 1, ranges: [] }, { grade: 1, ranges: [] }]',
    'spec.resourceModels',
    /each grade may be there once/,
  ],
  [
    'grades of different resources',
    grades('{ name: cpu, min: 0, max: 1 }', '{ name: memory, min: 1, max: 2 }'),
    'spec.resourceModels',
    /same resources in the same order/,
  ],
  [
    'grades with a gap',
    grades('{ name: cpu, min: 0, max: 1 }', '{ name: cpu, min: 2, max: 3 }'),
    'spec.resourceModels[1].ranges[0].min',
    /must be the max of the grade before/,
  ],
  [
    'a grade that ends before it begins',
    grades(
      '{ name: cpu, min: 0, max: 2 }',
      '{ name: cpu, min: 2, max: 1500m }',
      '{ name: cpu, min: 1500m, max: 4 }',
    ),
    'spec.resourceModels[1].ranges[0].max',
    /must be more than min/,
  ],
  [
    'an amount that is none',
    grades('{ name: cpu, min: 0, max: 1 core }', '{ name: cpu, min: 1, max: 2 }'),
    'spec.resourceModels[0].ranges[0].max',
    /should match/,
  ],
] as const) {
  test(`${title} is refused`, () => {
    assertRefused(MemberCluster, withSpec(HEAD, spec), { field, message });
  });
}

for (const name of ['a'.repeat(49), 'member.one']) {
  test(`the name ${name} is refused`, () => {
    assertRefused(MemberCluster, withSpec(HEAD.replace('member1', name), 'syncMode: Push'), {
      field: 'metadata',
      message: /at most 48 characters and no dots/,
    });
  });
}
