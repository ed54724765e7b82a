import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { DataMigrate } from '../../../src/kinds/flows/data-migrate.ts';
import { assertRefused, stored } from '../admission.ts';

const migrate = (spec: object) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataMigrate',
  metadata: { name: 'migrate', namespace: 'default' },
  spec,
});

const full = parse(`
image: registry.example.org:5000/mover
imageTag: nightly
imagePullPolicy: Always
from:
  externalStorage:
    uri: minio://minio.default.svc:9000/test/
    encryptOptions:
      - name: access-key
        valueFrom: { secretKeyRef: { name: keys, key: id } }
      - name: secret-key
        valueFrom: { secretKeyRef: { name: keys, key: secret } }
to:
  dataset: { name: demo, namespace: default, path: /dir1 }
block: true
runtimeType: juicefs
options: { exclude: 4.png }
policy: Cron
schedule: "*/10 * * * *"
podMetadata: { labels: { team: data } }
tolerations: [{ operator: Exists }]
nodeSelector: { disk: ssd }
schedulerName: volcano
ttlSecondsAfterFinished: 300
resources: { requests: { cpu: "1" } }
parallelism: 3
parallelOptions: { sshSecretName: ssh, sshPort: "22", sshReadyTimeoutSeconds: "180" }
`);

test('a migration is kept with every field that Fluid has', () => {
  assert.deepEqual(stored(DataMigrate, migrate(full)).spec, full);
});

test('a migration runs once in one pod, on datasets of its own namespace', () => {
  const spec = { from: { dataset: { name: 'a' } }, to: { dataset: { name: 'b', path: '/x/' } } };
  assert.deepEqual(stored(DataMigrate, migrate(spec)).spec, {
    from: { dataset: { name: 'a', namespace: 'default' } },
    to: { dataset: { name: 'b', namespace: 'default', path: '/x/' } },
    policy: 'Once',
    parallelism: 1,
  });
});

const external = { externalStorage: { uri: 'pvc://nas/dir' } };
const own = { dataset: { name: 'own', namespace: 'default' } };
const foreign = { dataset: { name: 'foreign', namespace: 'other' } };

test('the dataset that is not the target may be in another namespace', () => {
  assert.deepEqual(stored(DataMigrate, migrate({ from: foreign, to: own })).spec.from, foreign);
  const back = { from: own, to: foreign, runtimeType: 'juicefs' };
  assert.deepEqual(stored(DataMigrate, migrate(back)).spec.to, foreign);
});

const refused: readonly (readonly [string, object, string, RegExp])[] = [
  ['no way to go', { from: external }, 'spec.to', /Required/],
  ['a source that is nothing', { from: {}, to: own }, 'spec.from', /exactly one of dataset/],
  [
    'a destination that is two things',
    { from: own, to: { ...own, ...external } },
    'spec.to',
    /exactly one of dataset/,
  ],
  ['a way without a dataset', { from: external, to: external }, 'spec', /must be a dataset/],
  [
    'a target in another namespace',
    { from: external, to: foreign },
    'spec.to.dataset.namespace',
    /namespace of the operation/,
  ],
  [
    'a target at the source in another namespace',
    { from: foreign, to: external },
    'spec.from.dataset.namespace',
    /namespace of the operation/,
  ],
  [
    'a target at the destination in another namespace',
    { from: own, to: foreign },
    'spec.to.dataset.namespace',
    /namespace of the operation/,
  ],
  [
    'no possible target in the own namespace',
    { from: foreign, to: foreign, runtimeType: 'juicefs' },
    'spec.to.dataset.namespace',
    /namespace of the operation/,
  ],
  ['no pods', { from: external, to: own, parallelism: 0 }, 'spec.parallelism', /equal to 1/],
  [
    'several pods without a secret to talk to each other',
    { from: external, to: own, parallelism: 2 },
    'spec.parallelOptions',
    /sshSecretName/,
  ],
  [
    'several pods with an empty secret name',
    { from: external, to: own, parallelism: 2, parallelOptions: { sshSecretName: '' } },
    'spec.parallelOptions',
    /sshSecretName/,
  ],
  [
    'a waiting time that is no number',
    { from: external, to: own, parallelOptions: { sshReadyTimeoutSeconds: '120SS' } },
    'spec.parallelOptions',
    /whole numbers/,
  ],
  [
    'a cron without a schedule',
    { from: external, to: own, policy: 'Cron' },
    'spec.schedule',
    /needs a schedule/,
  ],
];

for (const [what, spec, field, message] of refused) {
  test(`refused: ${what}`, () => {
    assertRefused(DataMigrate, migrate(spec), { field, message });
  });
}

test('a migration keeps its datasets', () => {
  const old = stored(DataMigrate, migrate({ from: external, to: own }));
  const message = /create a new one/;
  const renamed = migrate({ from: external, to: { dataset: { name: 'other' } } });
  assertRefused(DataMigrate, renamed, { field: 'spec.to.dataset.name', message }, old);
  const away = migrate({ from: { dataset: { name: 'a' } }, to: own });
  assertRefused(DataMigrate, away, { field: 'spec.from', message }, old);
  const at = (uri: string) => migrate({ from: { externalStorage: { uri } }, to: own });
  const named = stored(DataMigrate, at('dataset://default/a'));
  for (const [uri, before] of [
    ['dataset://default/b', named],
    ['pvc://a', named],
    ['dataset://default/a', old],
  ] as const) {
    assertRefused(
      DataMigrate,
      at(uri),
      { field: 'spec.from.externalStorage.uri', message },
      before,
    );
  }
  stored(DataMigrate, at('pvc://a'), old);
  const further = { from: external, to: { dataset: { ...own.dataset, path: '/b' } } };
  assert.deepEqual(stored(DataMigrate, migrate(further), old).spec.to, further.to);
});
