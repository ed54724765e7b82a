import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import { prune } from '../../../src/placement/work/prune.ts';

const named = (kind: string, rest: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  kind,
  metadata: { name: 'x', ...metadata },
  ...rest,
});

test('what a server says of an object goes, what users say stays', () => {
  const server = {
    creationTimestamp: 't',
    deletionTimestamp: 't',
    deletionGracePeriodSeconds: 1,
    generation: 2,
    managedFields: [],
    resourceVersion: '1',
    selfLink: '/x',
    uid: 'u',
    ownerReferences: [],
    finalizers: ['f'],
  };
  const kept = { labels: { a: '1' }, annotations: { b: '2' } };
  assert.deepEqual(
    prune(named('Thing', { spec: { n: 1 }, status: { n: 1 } }, { ...server, ...kept })),
    {
      kind: 'Thing',
      metadata: { name: 'x', ...kept },
      spec: { n: 1 },
    },
  );
});

const jobLabels = {
  'controller-uid': 'u',
  'batch.kubernetes.io/controller-uid': 'u',
  'job-name': 'x',
  'batch.kubernetes.io/job-name': 'x',
  own: '1',
};
const job = (spec: JsonObject): JsonObject =>
  named('Job', {
    spec: {
      ttlSecondsAfterFinished: 1,
      selector: { matchLabels: { 'controller-uid': 'u', own: '1' } },
      template: { metadata: { labels: jobLabels } },
      ...spec,
    },
  });

const cases: readonly {
  readonly what: string;
  readonly given: JsonObject;
  readonly becomes: JsonObject;
}[] = [
  {
    what: 'a Job loses what its controller generated and its time to live',
    given: job({}),
    becomes: named('Job', {
      spec: {
        selector: { matchLabels: { own: '1' } },
        template: { metadata: { labels: { own: '1' } } },
      },
    }),
  },
  {
    what: 'a Job with a selector of its own keeps its labels',
    given: job({ manualSelector: true }),
    becomes: named('Job', {
      spec: {
        manualSelector: true,
        selector: { matchLabels: { 'controller-uid': 'u', own: '1' } },
        template: { metadata: { labels: jobLabels } },
      },
    }),
  },
  {
    what: 'a Service loses its address',
    given: named('Service', {
      spec: { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.1'], ports: [] },
    }),
    becomes: named('Service', { spec: { ports: [] } }),
  },
  {
    what: 'a headless Service stays headless',
    given: named('Service', { spec: { clusterIP: 'None', clusterIPs: ['None'] } }),
    becomes: named('Service', { spec: { clusterIP: 'None', clusterIPs: ['None'] } }),
  },
  {
    what: 'a ServiceAccount loses the generated tokens, all of them',
    given: named('ServiceAccount', {
      secrets: [{ name: 'x-token-1' }, { name: 'x-token-2' }, { name: 'own' }],
    }),
    becomes: named('ServiceAccount', { secrets: [{ name: 'own' }] }),
  },
  {
    what: 'the Secret of a token loses the token',
    given: named(
      'Secret',
      { type: 'kubernetes.io/service-account-token', data: { token: 't' } },
      { annotations: { 'kubernetes.io/service-account.uid': 'u', own: '1' } },
    ),
    becomes: named(
      'Secret',
      { type: 'kubernetes.io/service-account-token' },
      { annotations: { own: '1' } },
    ),
  },
  {
    what: 'any other Secret keeps its data',
    given: named('Secret', { type: 'Opaque', data: { a: 'b' } }),
    becomes: named('Secret', { type: 'Opaque', data: { a: 'b' } }),
  },
  {
    what: 'a Deployment loses the count of its revisions',
    given: named(
      'Deployment',
      {},
      { annotations: { 'deployment.kubernetes.io/revision': '3', own: '1' } },
    ),
    becomes: named('Deployment', {}, { annotations: { own: '1' } }),
  },
  {
    what: 'a claim loses the node that was chosen for it',
    given: named(
      'PersistentVolumeClaim',
      {},
      { annotations: { 'volume.kubernetes.io/selected-node': 'n', own: '1' } },
    ),
    becomes: named('PersistentVolumeClaim', {}, { annotations: { own: '1' } }),
  },
];

for (const { what, given, becomes } of cases) {
  test(what, () => assert.deepEqual(prune(given), becomes));
}
