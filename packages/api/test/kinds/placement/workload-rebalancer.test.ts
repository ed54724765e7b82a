import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { parse } from 'yaml';
import { WorkloadRebalancer } from '../../../src/kinds/placement/workload-rebalancer.ts';
import { assertRefused, store, storedSpec, withSpec } from './admission.ts';

const HEAD = `
apiVersion: apps.karmada.io/v1alpha1
kind: WorkloadRebalancer
metadata:
  name: after-recovery
`;

const WORKLOADS = `
workloads:
  - apiVersion: apps/v1
    kind: Deployment
    name: shop
    namespace: default
  - apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    name: shop:reader
`;

test('a rebalancer is stored as written', () => {
  assert.deepEqual(
    storedSpec(WorkloadRebalancer, withSpec(HEAD, `${WORKLOADS}ttlSecondsAfterFinished: 0`)),
    {
      workloads: [
        { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', namespace: 'default' },
        { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'shop:reader' },
      ],
      ttlSecondsAfterFinished: 0,
    },
  );
});

test('workloads may be added and removed later', () => {
  const old = parse(withSpec(HEAD, WORKLOADS)) as JsonObject;
  const spec = storedSpec(
    WorkloadRebalancer,
    withSpec(HEAD, 'workloads: [{ apiVersion: apps/v1, kind: StatefulSet, name: db }]'),
    old,
  );
  assert.deepEqual(spec.workloads, [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db' }]);
});

test('results are kept', () => {
  const results = {
    observedWorkloads: [
      {
        workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', namespace: 'default' },
        result: 'Failed',
        reason: 'ReferencedBindingNotFound',
      },
    ],
    observedGeneration: 2,
    finishTime: '2024-04-17T15:04:05Z',
  };
  const { status } = store(
    WorkloadRebalancer,
    `${withSpec(HEAD, WORKLOADS)}status: ${JSON.stringify(results)}`,
  );
  assert.deepEqual(status, results);
});

for (const [title, spec, field, message] of [
  ['no workloads', 'workloads: []', 'spec.workloads', /at least 1 items/],
  [
    'more than fits into an object',
    `workloads: ${JSON.stringify(
      Array.from({ length: 5001 }, (_, at) => ({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: `w${at}`,
      })),
    )}`,
    'spec.workloads',
    /at most 5000 items/,
  ],
  [
    'a workload without a kind',
    'workloads: [{ apiVersion: apps/v1, name: shop }]',
    'spec.workloads[0].kind',
    /Required value/,
  ],
  [
    'a negative lifetime',
    `${WORKLOADS}ttlSecondsAfterFinished: -1`,
    'spec.ttlSecondsAfterFinished',
    /greater than or equal to 0/,
  ],
] as const) {
  test(`${title} is refused`, () => {
    assertRefused(WorkloadRebalancer, withSpec(HEAD, spec), { field, message });
  });
}
