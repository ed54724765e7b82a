import { object, string } from '@perigee/schema/structural/builder';
import { check, immutable, optional } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import { cancelIsForGood, flowFields } from './operation-fragments.ts';
import { operationNormaliser, operationSpellings } from './operation-normalise.ts';
import { afterColumn, durationColumn, operationStatus, phaseColumn } from './operation-status.ts';
import { backupPlace, encryptOptions, options, user } from './storage-fragments.ts';

export const DataBackup = defineKind({
  group: 'data.fluid.io',
  version: 'v1alpha1',
  kind: 'DataBackup',
  plural: 'databackups',
  scope: 'Namespaced',
  shortNames: ['backup'],
  categories: ['fluid'],
  doc: 'Saves what a dataset knows about its files, so that a new one can start from it.',
  spec: check(
    object('What to save, and where to.', {
      dataset: immutable(
        string('The name of the dataset, which is in the same namespace.', {
          minLength: 1,
          maxLength: 253,
        }),
        'an operation cannot change to another dataset; create a new one',
      ),
      backupPath: check(
        string(
          'Where to: local://<directory>, pvc://<claim>/<directory>, nfs://<server>/<directory> or s3://<bucket>/<directory>.',
          { maxLength: 4096 },
        ),
        backupPlace,
      ),
      options: optional(options('Options for this storage, such as endpoint and region of S3.')),
      encryptOptions: optional(
        encryptOptions('Its credentials: access-key, secret-key and token.'),
      ),
      runAs: optional(user('The user to run as.')),
      ...flowFields,
    }),
    cancelIsForGood,
  ),
  status: operationStatus(),
  columns: [
    { name: 'Dataset', type: 'string', path: '.spec.dataset', doc: 'The dataset.' },
    phaseColumn,
    {
      name: 'Path',
      type: 'string',
      path: '.status.infos.BackupLocationPath',
      doc: 'Where the backup is.',
    },
    {
      name: 'NodeName',
      type: 'string',
      path: '.status.infos.BackupLocationNodeName',
      doc: 'The node that it is on.',
    },
    durationColumn,
    afterColumn,
  ],
  otherSpellings: operationSpellings,
  normalise: operationNormaliser('DataBackup', (spec) => spec),
});
export type DataBackup = StoredObjectOf<typeof DataBackup>;
export type DataBackupWritten = WrittenObjectOf<typeof DataBackup>;
