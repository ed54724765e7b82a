import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '@perigee/api/kinds/placement/work';
import { aggregateWorks, fullyApplied } from '@perigee/scheduling/placement/work/aggregate-works';
import { workToWrite } from '@perigee/scheduling/placement/work/desired-work';
import {
  overrideNotes,
  type RenderedBinding,
  renderWork,
} from '@perigee/scheduling/placement/work/render-work';
import type { JsonObject } from '@perigee/schema/json';

const template: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'n0', uid: 'template-uid', generation: 3 },
  data: { a: '1' },
};

const binding = (spec: object = {}): RenderedBinding =>
  ({
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: {
      namespace: 'default',
      name: 'n0-configmap',
      labels: { 'resourcebinding.karmada.io/permanent-id': 'b' },
    },
    spec: { resource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'n0' }, ...spec },
  }) as unknown as RenderedBinding;

const render = (spec: object = {}, object = template) =>
  renderWork(binding(spec), 'm1', { object, cluster: [], namespaced: [] });

const stored = (work: ReturnType<typeof workToWrite>, labels: JsonObject = {}): Work =>
  ({
    ...work,
    metadata: { ...work?.metadata, labels: { ...work?.metadata.labels, ...labels }, uid: 'u' },
  }) as Work;

const ID = 'work.karmada.io/permanent-id';
const write = (present?: Work) => workToWrite(render(), present, () => 'w');

test('a Work that is as it should be is not written again', () => {
  const first = write();
  assert.ok(first);
  assert.equal(write(stored(first)), undefined);
});

test('a new Work has its id, and so has its manifest: nothing is left for a second write', () => {
  const first = write();
  assert.equal(first?.metadata.labels?.[ID], 'w');
  const [manifest] = first?.spec.workload?.manifests ?? [];
  const { labels, annotations } = (manifest?.metadata ?? {}) as {
    labels: JsonObject;
    annotations: JsonObject;
  };
  assert.equal(labels[ID], 'w');
  assert.equal(
    annotations['resourcetemplate.karmada.io/managed-labels'],
    `karmada.io/managed,resourcebinding.karmada.io/permanent-id,${ID}`,
  );
});

test('a Work keeps the id that it has', () => {
  const second = write(stored(write(), { [ID]: 'older' }));
  assert.equal(second?.metadata.labels?.[ID], 'older');
  const [manifest] = second?.spec.workload?.manifests ?? [];
  assert.ok(manifest);
  assert.equal((manifest.metadata as { labels: JsonObject }).labels[ID], 'older');
});

test('what others put on a Work stays, the notes of past overrides go', () => {
  const first = stored(write(), { own: '1' });
  const annotations = {
    ...first.metadata.annotations,
    own: '1',
    'policy.karmada.io/applied-overrides': '[]',
  };
  const noted = { ...first, metadata: { ...first.metadata, annotations } };
  const next = write(noted);
  assert.equal(next?.metadata.labels?.own, '1');
  assert.equal(next?.metadata.annotations?.own, '1');
  assert.equal('policy.karmada.io/applied-overrides' in (next?.metadata.annotations ?? {}), false);
});

const conflict = (spec: object, annotation?: string) =>
  render(spec, {
    ...template,
    metadata: {
      ...(template.metadata as JsonObject),
      ...(annotation === undefined
        ? {}
        : { annotations: { 'work.karmada.io/conflict-resolution': annotation } }),
    },
  }).annotations['work.karmada.io/conflict-resolution'];

test('conflicts are resolved as the template says, else as the policy says, else not at all', () => {
  assert.equal(conflict({}), 'abort');
  assert.equal(conflict({ conflictResolution: 'Overwrite' }), 'overwrite');
  assert.equal(conflict({ conflictResolution: 'Overwrite' }, 'abort'), 'abort');
  assert.equal(conflict({ conflictResolution: 'Abort' }, 'overwrite'), 'overwrite');
  assert.equal(conflict({ conflictResolution: 'Overwrite' }, 'nonsense'), 'overwrite');
});

test('several policies are noted by name', () => {
  const note = (policyName: string) => ({ policyName, overriders: {} });
  const { annotations } = renderWork(binding(), 'm1', {
    object: template,
    cluster: [note('z'), note('a')],
    namespaced: [],
  });
  assert.equal(
    annotations['policy.karmada.io/applied-cluster-overrides'],
    JSON.stringify([note('a'), note('z')]),
  );
});

const RESOURCE = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };

const workOn = (cluster: string, status: object, metadata: object = {}): Work =>
  ({
    metadata: { namespace: `karmada-es-${cluster}`, name: 'web-x', ...metadata },
    spec: {
      workload: {
        manifests: [
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'web' } },
          {
            apiVersion: 'apps/v1',
            kind: 'Deployment',
            metadata: { namespace: 'default', name: 'web' },
          },
        ],
      },
    },
    status,
  }) as unknown as Work;

const applied = (status: string, message = '') => ({
  conditions: [{ type: 'Applied', status, reason: 'R', message, lastTransitionTime: 't' }],
});
const reported = (ordinal: number) => ({
  identifier: {
    ordinal,
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    resource: 'deployments',
    namespace: 'default',
    name: 'web',
  },
  status: { readyReplicas: 1 },
  health: 'Healthy',
});

test('Works are summed up by cluster', () => {
  const works = [
    workOn('m3', applied('False', 'refused')),
    workOn('m1', { ...applied('True'), manifestStatuses: [reported(1)] }),
    workOn('m2', { ...applied('True'), manifestStatuses: [reported(0)] }),
    workOn('m4', {}),
    workOn('m5', applied('True'), { deletionTimestamp: 't' }),
  ];
  assert.deepEqual(aggregateWorks(works, RESOURCE, { isReady: () => true }), [
    { clusterName: 'm1', status: { readyReplicas: 1 }, applied: true, health: 'Healthy' },
    { clusterName: 'm2', applied: true, health: 'Unknown' },
    { clusterName: 'm3', applied: false, appliedMessage: 'refused', health: 'Unknown' },
    { clusterName: 'm4', applied: false, health: 'Unknown' },
  ]);
});

const appliedAt = (observedGeneration: number) => {
  const [condition] = applied('True').conditions;
  return { conditions: [{ ...condition, observedGeneration }], manifestStatuses: [reported(1)] };
};

test('what a lost cluster last said of its work is no longer known, and what it did not get is not applied', () => {
  const works = [
    workOn('m1', appliedAt(2), { generation: 2 }),
    workOn('m2', appliedAt(2), { generation: 3 }),
    workOn('m3', {}, { generation: 1 }),
    workOn('m4', appliedAt(2), { generation: 3 }),
  ];
  const isReady = (name: string) => name === 'm4';
  const status = { readyReplicas: 1 };
  const behind = 'the cluster has generation 2 of the Work; 3 is still to be delivered';
  assert.deepEqual(aggregateWorks(works, RESOURCE, { isReady }), [
    { clusterName: 'm1', status, applied: true, health: 'Unknown' },
    {
      clusterName: 'm2',
      status,
      applied: false,
      appliedMessage: `${behind}: the cluster is not ready`,
      health: 'Unknown',
    },
    {
      clusterName: 'm3',
      applied: false,
      appliedMessage: 'not delivered: the cluster is not ready',
      health: 'Unknown',
    },
    { clusterName: 'm4', status, applied: false, appliedMessage: behind, health: 'Healthy' },
  ]);
});

test('fully applied means all expected clusters and no others', () => {
  const item = (clusterName: string, isApplied = true) => ({ clusterName, applied: isApplied });
  const reason = (clusters: readonly string[], items: readonly ReturnType<typeof item>[]) =>
    fullyApplied(
      { resource: RESOURCE, clusters: clusters.map((name) => ({ name })) } as never,
      items,
    ).reason;
  assert.equal(reason(['m1', 'm2'], [item('m1'), item('m2')]), 'FullyAppliedSuccess');
  assert.equal(reason(['m1', 'm2'], [item('m1'), item('m2', false)]), 'FullyAppliedFailed');
  assert.equal(reason(['m1', 'm2'], [item('m1')]), 'FullyAppliedFailed');
  assert.equal(reason(['m1'], [item('m2')]), 'FullyAppliedFailed');
  assert.equal(reason([], []), 'FullyAppliedFailed');
});

test('very long overrides are noted by the names of their policies: the Work was refused', () => {
  const overriders = {
    plaintext: [{ path: '/data/a', operator: 'replace', value: 'é'.repeat(40_000) }],
  };
  const rules = ['b', 'a', 'b'].map((policyName) => ({ policyName, overriders }) as never);
  const notes = overrideNotes({ object: {}, cluster: [], namespaced: rules });
  assert.deepEqual(notes, {
    'policy.karmada.io/applied-overrides':
      '[{"policyName":"a","overriders":{}},{"policyName":"b","overriders":{}}]',
  });
  const few = overrideNotes({
    object: {},
    cluster: [{ policyName: 'a', overriders: {} }],
    namespaced: [],
  });
  assert.deepEqual(Object.values(few), ['[{"policyName":"a","overriders":{}}]']);
});
