import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { adoptedRecord } from '@perigee/scheduling/clusters/inventory/adopted-record';
import {
  desiredTarget,
  differingFields,
} from '@perigee/scheduling/clusters/inventory/execution-target';
import { applicableParts } from '@perigee/scheduling/clusters/inventory/owned-fields';

const record = (spec: object, metadata: object = {}): ClusterRecord =>
  ({
    metadata: { name: 'west', uid: 'u1', generation: 1, ...metadata },
    spec: { type: 'kubernetes', ...spec },
  }) as unknown as ClusterRecord;

const target = (fields: { metadata?: object; spec?: object } = {}): MemberCluster =>
  ({
    metadata: { name: 'west', uid: 't1', ...fields.metadata },
    spec: { syncMode: 'Push', ...fields.spec },
  }) as unknown as MemberCluster;

const pathsOf = (fields: readonly { readonly path: readonly string[] }[]): readonly string[] =>
  fields.map(({ path }) => path.slice(0, 2).join('.')).sort();

test('a target that was made of a record agrees with it', () => {
  const desired = desiredTarget(record({ region: { region: 'eu west' } }, { labels: { a: 'b' } }));
  assert.equal(desired.spec.region, 'eu-west');
  const made = target(desired);
  assert.deepEqual(differingFields(desired, made), []);
  assert.deepEqual(
    differingFields(
      desiredTarget(record({ region: { region: 'eu west' } }, { labels: { a: 'b' } })),
      made,
    ),
    [],
  );
});

test('a wish that is dropped is a difference, although the target still has it', () => {
  const made = target(desiredTarget(record({ region: { region: 'eu-west' } })));
  assert.deepEqual(pathsOf(differingFields(desiredTarget(record({})), made)), [
    'metadata.annotations',
  ]);
});

test('a price is no wish of a target', () => {
  const made = target(desiredTarget(record({})));
  const dearer = desiredTarget(record({ serverPrice: 9 }, { generation: 2 }));
  assert.deepEqual(differingFields(dearer, made), []);
});

test('where the control plane serves a cluster goes before what the record says', () => {
  const facts = { apiEndpoint: 'https://here' };
  const { spec } = desiredTarget(record({ apiEndpoint: 'https://there' }), facts);
  assert.equal(spec.apiEndpoint, 'https://here');
});

test('how work gets into the cluster is not changed', () => {
  const present = target({ spec: { syncMode: 'Pull' } });
  assert.equal(desiredTarget(record({}), { present }).spec.syncMode, 'Pull');
});

test('only what nobody else has written is applied', () => {
  const desired = desiredTarget(
    record({ region: { region: 'r', availabilityZone: 'z' }, operator: { operator: 'o' } }),
  );
  const present = target({
    metadata: {
      managedFields: [
        {
          manager: 'owner',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, 'f:topology.kubernetes.io/zone': {} } },
            'f:spec': { 'f:syncMode': {}, 'f:region': {} },
          },
        },
        { manager: 'inventory', fieldsV1: { 'f:spec': { 'f:provider': {} } } },
      ],
    },
  });
  const { metadata, spec } = applicableParts(desired, present, {
    manager: 'inventory',
    isOwn: false,
  });
  assert.deepEqual(spec, { provider: 'o', zones: ['z'] });
  const { labels } = metadata as { labels: { [label: string]: string } };
  assert.equal(labels['topology.kubernetes.io/zone'], undefined);
  assert.equal(labels['topology.kubernetes.io/region'], 'r');
});

test('an address does not go to a Secret that the record does not name, whoever wrote that', () => {
  const desired = desiredTarget(record({ apiEndpoint: 'https://evil' }));
  const spec = { apiEndpoint: 'https://own', secretRef: { namespace: 'n', name: 's' } };
  const partsOf = (managedFields: readonly object[]) =>
    applicableParts(desired, target({ metadata: { managedFields }, spec }), {
      manager: 'inventory',
      isOwn: false,
    }).spec;
  // Somebody has wiped out who wrote it.
  assert.equal(partsOf([]).apiEndpoint, undefined);
  const entry = (fields: object) => [{ manager: 'inventory', fieldsV1: { 'f:spec': fields } }];
  assert.equal(partsOf(entry({ 'f:apiEndpoint': {} })).apiEndpoint, 'https://own');
  // The record had a Secret, which goes with this.
  const both = { 'f:apiEndpoint': {}, 'f:secretRef': {} };
  assert.equal(partsOf(entry(both)).apiEndpoint, 'https://evil');
});

test('a record that adopts a target wishes for nothing that the target does not have', () => {
  const joined = target({
    metadata: { labels: { 'globalscheduler.com/country': 'IT' } },
    spec: { apiEndpoint: 'https://10.0.0.1', provider: 'p', region: 'r', zones: ['z'] },
  });
  const { metadata, spec } = adoptedRecord(joined);
  const desired = desiredTarget(record(spec, metadata), { present: joined });
  const specs = pathsOf(differingFields(desired, joined)).filter((path) => path.startsWith('spec'));
  assert.deepEqual(specs, []);
});
