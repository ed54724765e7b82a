import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Work } from '../../../src/kinds/placement/work.ts';
import { assertRefused, store, storedSpec, withSpec } from './admission.ts';

const HEAD = `
apiVersion: work.karmada.io/v1alpha1
kind: Work
metadata:
  name: shop-6b8f
  namespace: karmada-es-member1
`;

const MANIFEST = {
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'shop', namespace: 'default', labels: { 'karmada.io/managed': 'true' } },
  spec: { anything: [{ at: 'all' }], replicas: 2 },
  data: { 'config.yaml': 'a: b' },
};

test('manifests of any kind are kept as they are', () => {
  const spec = {
    workload: { manifests: [MANIFEST, { ...MANIFEST, kind: 'Other' }] },
    suspendDispatching: true,
    preserveResourcesOnDeletion: false,
  };
  assert.deepEqual(storedSpec(Work, withSpec(HEAD, JSON.stringify(spec))), spec);
});

test('a Work without manifests is accepted', () => {
  assert.deepEqual(storedSpec(Work, withSpec(HEAD, 'workload: {}')), { workload: {} });
});

test('the status of each manifest is kept as the cluster reports it', () => {
  const status = {
    conditions: [
      {
        type: 'Applied',
        status: 'False',
        reason: 'AppliedFailed',
        message: 'Failed to apply all manifests (0/1)',
        lastTransitionTime: '2024-04-17T15:04:05Z',
      },
    ],
    manifestStatuses: [
      {
        identifier: {
          ordinal: 0,
          group: 'apps',
          version: 'v1',
          kind: 'Deployment',
          resource: 'deployments',
          namespace: 'default',
          name: 'shop',
        },
        status: { readyReplicas: 1, conditions: [{ own: true }] },
        health: 'Unhealthy',
      },
    ],
  };
  const work = store(Work, `${withSpec(HEAD, 'workload: {}')}status: ${JSON.stringify(status)}`);
  assert.deepEqual(work.status, status);
});

test('a manifest that does not say its kind is refused', () => {
  assertRefused(
    Work,
    withSpec(HEAD, 'workload: { manifests: [{ apiVersion: v1, metadata: { name: a } }] }'),
    { field: 'spec.workload.manifests[0].kind', message: /Required value/ },
  );
});

test('a health outside the closed list is refused', () => {
  const identifier =
    '{ ordinal: 0, version: v1, kind: Secret, resource: secrets, namespace: a, name: a }';
  assertRefused(
    Work,
    `${withSpec(HEAD, 'workload: {}')}status: { manifestStatuses: [{ identifier: ${identifier}, health: Fine }] }`,
    { field: 'status.manifestStatuses[0].health', message: /Healthy.*Unhealthy.*Unknown/ },
  );
});
