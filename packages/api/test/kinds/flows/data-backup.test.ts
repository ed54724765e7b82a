import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataBackup } from '../../../src/kinds/flows/data-backup.ts';
import { assertRefused, stored } from '../admission.ts';

const backup = (spec: object) => ({
  apiVersion: 'data.fluid.io/v1alpha1',
  kind: 'DataBackup',
  metadata: { name: 'backup', namespace: 'default' },
  spec,
});

for (const backupPath of ['pvc://backups/hbase/', 'local:///data/subpath1/']) {
  test(`a dataset can be saved to ${backupPath}`, () => {
    const spec = {
      dataset: 'hbase',
      backupPath,
      runAs: { uid: 1201, gid: 1201, user: 'hbase', group: 'hbase' },
      ttlSecondsAfterFinished: 40,
    };
    assert.deepEqual(stored(DataBackup, backup(spec)).spec, spec);
  });
}

const backupPath = 'pvc://backups/';
const refused: readonly (readonly [string, object, string])[] = [
  ['a backup of nothing', { backupPath }, 'spec.dataset'],
  ['a dataset without a name', { dataset: '', backupPath }, 'spec.dataset'],
  ['a backup to nowhere', { dataset: 'hbase' }, 'spec.backupPath'],
  [
    'a backup to a web server',
    { dataset: 'hbase', backupPath: 'https://host/local://' },
    'spec.backupPath',
  ],
  [
    'a user without number',
    { dataset: 'hbase', backupPath, runAs: { gid: 1, user: 'a', group: 'a' } },
    'spec.runAs.uid',
  ],
];

for (const [what, spec, field] of refused) {
  test(`refused: ${what}`, () => {
    assertRefused(DataBackup, backup(spec), { field });
  });
}

test('a backup keeps its dataset', () => {
  const old = stored(DataBackup, backup({ dataset: 'hbase', backupPath }));
  const message = /create a new one/;
  assertRefused(
    DataBackup,
    backup({ dataset: 'other', backupPath }),
    { field: 'spec.dataset', message },
    old,
  );
});
