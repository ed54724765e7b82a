import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datasetUses } from '../../src/flows/dataset-uses.ts';
import { operationStep } from '../../src/flows/operation-step.ts';
import { validateOperation } from '../../src/flows/validate-operation.ts';
import { writtenData } from '../../src/flows/written-data.ts';
import { facts, operation } from './operations.ts';

const script = { source: 'ls', restartPolicy: 'Never' };
const mount = (mountPath: string) => [{ name: 'vol', mountPath }];
const dataset = { name: 'raw', namespace: 'default', mountPath: '/data' };
const job = (podSpec: object) => ({ processor: { job: { podSpec } } });

/** Under the names of Fluid's reasons; what an API server without our admission lets through. */
const cases: readonly (readonly [string, string, object, string | undefined])[] = [
  [
    'a dataset elsewhere',
    'DataProcess',
    { dataset: { ...dataset, namespace: 'b' } },
    'TargetDatasetNamespaceNotSame',
  ],
  [
    'a dataset elsewhere',
    'DataLoad',
    { dataset: { name: 'raw', namespace: 'b' } },
    'TargetDatasetNamespaceNotSame',
  ],
  [
    'a target elsewhere',
    'DataMigrate',
    { to: { dataset: { name: 'raw', namespace: 'b' } } },
    'TargetDatasetNamespaceNotSame',
  ],
  [
    'a part of the dataset that climbs out of it',
    'DataProcess',
    { dataset: { ...dataset, subPath: 'images/../../etc' } },
    'PathNotSupported',
  ],
  [
    'a product that climbs out of the dataset',
    'DataProcess',
    { produces: [{ dataset: { name: 'model', path: '../model' } }] },
    'PathNotSupported',
  ],
  [
    'a folder with dots in its name',
    'DataProcess',
    { dataset: { ...dataset, subPath: 'images..old/a' } },
    undefined,
  ],
  ['no processor', 'DataProcess', { processor: {} }, 'ProcessorNotSpecified'],
  [
    'both processors',
    'DataProcess',
    { processor: { script, job: { podSpec: { containers: [] } } } },
    'MultipleProcessorSpecified',
  ],
  [
    'the same path in a script',
    'DataProcess',
    { processor: { script: { ...script, volumeMounts: mount('/data') } } },
    'ConflictMountPath',
  ],
  [
    'the same path with a slash',
    'DataProcess',
    { processor: { script: { ...script, volumeMounts: mount('/data/') } } },
    'ConflictMountPath',
  ],
  [
    'another path',
    'DataProcess',
    { processor: { script: { ...script, volumeMounts: mount('/mydata') } } },
    undefined,
  ],
  [
    'the same path in a container',
    'DataProcess',
    job({ containers: [{ name: 'c', volumeMounts: mount('/data') }] }),
    'ConflictMountPath',
  ],
  [
    'the same path in an init container',
    'DataProcess',
    job({ containers: [], initContainers: [{ name: 'i', volumeMounts: mount('/data') }] }),
    'ConflictMountPath',
  ],
  ['an empty pod', 'DataProcess', job({ containers: [] }), undefined],
  ['no mount path', 'DataProcess', { dataset: { ...dataset, mountPath: '' } }, undefined],
  ['Cron without a schedule', 'DataProcess', { policy: 'Cron' }, 'ScheduleNotSpecified'],
  [
    'a schedule that cannot be read',
    'DataLoad',
    { policy: 'Cron', schedule: '61 * * * *' },
    'BadSchedule',
  ],
  ['a day that never comes', 'DataLoad', { policy: 'Cron', schedule: '0 0 30 2 *' }, 'BadSchedule'],
  ['many pods without a key', 'DataMigrate', { parallelism: 2 }, 'TargetSSHSecretNameNotSet'],
  [
    'many pods with a key',
    'DataMigrate',
    { parallelism: 2, parallelOptions: { sshSecretName: 'k' } },
    undefined,
  ],
  ['a backup to a web server', 'DataBackup', { backupPath: 'https://b/' }, 'PathNotSupported'],
  ['a backup to a claim', 'DataBackup', { backupPath: 'pvc://c/' }, undefined],
  ['a backup to a folder', 'DataBackup', { backupPath: 'local:///d/' }, undefined],
];

for (const [what, kind, spec, reason] of cases) {
  test(`${kind}: ${what} gives ${reason ?? 'no complaint'}`, () => {
    const one = operation(kind, { spec });
    assert.equal(validateOperation(one)?.reason, reason);
    const { status } = operationStep(one, facts());
    if (reason === undefined) return assert.equal(status.phase, 'Pending');
    assert.deepEqual([status.phase, status.duration], ['Failed', '-']);
    assert.deepEqual(
      status.conditions.map(({ type, status: is, reason: why }) => [type, is, why]),
      [['Failed', 'True', reason]],
    );
  });
}

test('who writes the same data', () => {
  const writes = (kind: string, spec: object = {}) => writtenData(operation(kind, { spec }));
  assert.deepEqual(writes('DataLoad'), writes('DataMigrate'));
  assert.notDeepEqual(writes('DataLoad'), writes('DataLoad', { dataset: { name: 'other' } }));
  assert.deepEqual(writes('DataProcess'), []);
  assert.deepEqual(
    writes('DataProcess', { produces: [{ dataset: { name: 'raw' } }] }),
    writes('DataLoad'),
  );
  assert.deepEqual(
    writes('DataBackup', { backupPath: 'pvc://c/d' }),
    writes('DataMigrate', {
      from: { dataset: { name: 'raw' } },
      to: { externalStorage: { uri: 'pvc://c/d/' } },
    }),
  );
  const out = (uri: string) =>
    writes('DataMigrate', {
      from: { dataset: { name: 'other' } },
      to: { externalStorage: { uri } },
    });
  for (const uri of ['pvc://c//d', 'pvc://c/./d/.'])
    assert.deepEqual(out(uri), out('pvc://c/d'), uri);
  assert.deepEqual(out('local:///a//b/'), out('local:///a/b'));
  assert.deepEqual(out('nfs://h//a'), out('nfs://h/a'));
  assert.notDeepEqual(out('pvc://c/d'), out('pvc://c/e'));
  for (const uri of ['dataset://default/raw', 'dataset://default/raw/a/']) {
    assert.deepEqual(out(uri), writes('DataLoad'), uri);
  }
});

test('an end is a dataset by its name or by its URL, and of the own namespace without one', () => {
  const uses = (from: object, to: object) =>
    datasetUses(operation('DataMigrate', { spec: { from, to } }));
  const named = (name: string, namespace?: string) => ({ dataset: { name, namespace } });
  const at = (uri: string) => ({ externalStorage: { uri } });
  const expected = [
    { dataset: 'raw', does: 'write', isWhole: true },
    { dataset: 'other', does: 'read', isWhole: true },
  ];
  assert.deepEqual(uses(named('other'), named('raw', '')), expected);
  assert.deepEqual(uses(at('dataset://default/other'), named('raw', 'default')), expected);
  assert.deepEqual(uses(named('other'), at('dataset://default/raw/')), expected);
  assert.deepEqual(uses(at('dataset://else/other'), named('raw')), expected.slice(0, 1));
  const [part] = uses(named('other'), at('dataset://default/raw/a'));
  assert.deepEqual(part, { dataset: 'raw', does: 'write', isWhole: false });
});
