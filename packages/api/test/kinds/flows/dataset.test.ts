import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { Dataset } from '../../../src/kinds/flows/dataset.ts';
import { assertRefused, stored } from '../admission.ts';

const dataset = (spec: object | undefined, name = 'spark') => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'Dataset',
  metadata: { name, namespace: 'default' },
  ...(spec ? { spec } : {}),
});

const full = parse(`
mounts:
  - mountPoint: s3://training/images/
    name: images
    path: /images
    readOnly: true
    shared: true
    options: { region: eu-central-1 }
    encryptOptions:
      - name: access-key
        valueFrom: { secretKeyRef: { name: s3-keys, key: id } }
  - mountPoint: pvc://nas/models
owner: { uid: 1201, gid: 1201, user: trainer, group: trainers }
nodeAffinity:
  required:
    nodeSelectorTerms:
      - matchExpressions:
          - { key: disk, operator: In, values: [ssd] }
tolerations:
  - { key: gpu, operator: Exists, effect: NoSchedule }
accessModes: [ReadWriteMany]
runtimes:
  - { name: images, namespace: default, category: Accelerate, type: alluxio, masterReplicas: 1 }
placement: Shared
dataRestoreLocation: { path: "local:///backup/", nodeName: node1 }
sharedOptions: { timeout: 30s }
sharedEncryptOptions:
  - name: token
    valueFrom: { secretKeyRef: { name: s3-token, key: token } }
`);

test('a dataset is kept with every field that Fluid has', () => {
  assert.deepEqual(stored(Dataset, dataset(full)).spec, full);
});

test('a dataset whose runtime holds the data has no spec to write', () => {
  assert.deepEqual(stored(Dataset, dataset(undefined, 'vineyard')).spec, {});
  assert.deepEqual(stored(Dataset, { ...dataset(undefined, 'vineyard'), spec: null }).spec, {});
  assert.deepEqual(Dataset.inputSchema.properties?.spec?.default, {});
});

test('the status is kept with every field that Fluid has', () => {
  const status = parse(`
phase: Bound
mounts: [{ mountPoint: "https://mirrors.example.org/spark/", name: spark }]
runtimes: [{ name: spark, namespace: default, category: Accelerate, type: alluxio }]
conditions:
  - type: Ready
    status: "True"
    reason: DatasetReady
    message: The cache is ready.
    lastUpdateTime: "2026-01-02T03:04:05Z"
    lastTransitionTime: "2026-01-02T03:04:05Z"
ufsTotal: 1.21GiB
fileNum: "12"
cacheStates: { cached: 0.00B, cacheCapacity: 2.00GiB, cachedPercentage: 0.0% }
hcfs: { endpoint: "alluxio://spark:20000", underlayerFileSystemVersion: 3.3.0 }
operationRef: { DataLoad: "load1,load2" }
dataLoadRef: load1
dataBackupRef: backup1
datasetRef: [default/other]
`);
  assert.deepEqual(stored(Dataset, { ...dataset({}), status }).status, status);
});

test('a status without conditions gets an empty list of them', () => {
  const after = stored(Dataset, { ...dataset({}), status: { phase: 'NotBound' } });
  assert.deepEqual(after.status, { phase: 'NotBound', conditions: [] });
});

const refused: readonly (readonly [string, object, string])[] = [
  ['no mounts in the list', { mounts: [] }, 'spec.mounts'],
  ['a mount without storage', { mounts: [{ name: 'a' }] }, 'spec.mounts[0].mountPoint'],
  [
    'a mount point that is too short for a URL',
    { mounts: [{ mountPoint: 's3:/' }] },
    'spec.mounts[0].mountPoint',
  ],
  ['an owner without group', { owner: { uid: 1, gid: 1, user: 'a' } }, 'spec.owner.group'],
  ['an unknown placement', { placement: 'Alone' }, 'spec.placement'],
  ['an unknown access mode', { accessModes: ['WriteOnly'] }, 'spec.accessModes[0]'],
  [
    'a backup of nobody',
    { dataRestoreLocation: { path: 's3://backup', dataset: '../x' } },
    'spec.dataRestoreLocation.dataset',
  ],
  [
    'a backup in a place that cannot be read',
    { dataRestoreLocation: { path: 'https://backup' } },
    'spec.dataRestoreLocation.path',
  ],
];

for (const [what, spec, field] of refused) {
  test(`refused: ${what}`, () => {
    assertRefused(Dataset, dataset(spec), { field });
  });
}

for (const name of ['1st', 'a.b', 'x'.repeat(64)]) {
  test(`refused: the name ${name}`, () => {
    assertRefused(Dataset, dataset({}, name), {
      field: 'metadata',
      message: /begin with a letter/,
    });
  });
}
