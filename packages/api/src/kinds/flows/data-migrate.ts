import { isJsonObject } from '@perigee/schema/json';
import { boolean, int32, map, object, string } from '@perigee/schema/structural/builder';
import { check, optional, withDefault } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import {
  cancelIsForGood,
  cronNeedsSchedule,
  flowFields,
  imageFields,
  podFields,
  scheduleFields,
  targetDatasetFields,
} from './operation-fragments.ts';
import {
  foreignDataset,
  isForeign,
  operationNormaliser,
  operationSpellings,
  type SpecStep,
  withNamespace,
} from './operation-normalise.ts';
import {
  afterColumn,
  durationColumn,
  operationStatus,
  phaseColumn,
  policyColumns,
} from './operation-status.ts';
import { encryptOptions, options } from './storage-fragments.ts';

/** One end of the copy. The dataset's namespace is that of the operation when left out. */
const endpoint = (description: string) =>
  check(
    object(description, {
      dataset: optional(
        object('A dataset.', {
          ...targetDatasetFields,
          namespace: optional(
            string('The namespace of the dataset; that of the operation when left out.', {
              maxLength: 63,
            }),
          ),
          path: optional(
            string('The path in the dataset; a slash at its end means the directory.'),
          ),
        }),
      ),
      externalStorage: optional(
        object('Storage that is not a dataset.', {
          uri: check(
            string('The storage, as a URL such as s3://bucket/dir/ or pvc://claim/dir.', {
              minLength: 1,
              maxLength: 4096,
            }),
            {
              rule: "self == oldSelf || (!self.startsWith('dataset://') && !oldSelf.startsWith('dataset://'))",
              message: 'an operation cannot change to another dataset; create a new one',
            },
          ),
          options: optional(
            options('Options for this storage, such as endpoint and region of S3.'),
          ),
          encryptOptions: optional(
            encryptOptions('Its credentials: access-key, secret-key and token.'),
          ),
        }),
      ),
    }),
    {
      rule: 'has(self.dataset) != has(self.externalStorage)',
      message: 'give exactly one of dataset and externalStorage',
    },
    {
      rule: 'has(self.dataset) == has(oldSelf.dataset)',
      message: 'an operation cannot change to another dataset; create a new one',
    },
  );

/**
 * The dataset at the destination, or else the one at the source, is the target, and must be in the
 * namespace of the operation. With a runtime type either of the two may turn out to be the target.
 */
const targetInOwnNamespace: SpecStep = (spec, { namespace, errors }) => {
  const ends = (['to', 'from'] as const).flatMap((name) => {
    const end = spec[name];
    if (!isJsonObject(end) || !isJsonObject(end.dataset)) return [];
    return [{ name, end: { ...end, dataset: withNamespace(end.dataset, namespace) } }];
  });
  const mayBeTarget = spec.runtimeType ? ends : ends.slice(0, 1);
  const foreign = mayBeTarget.flatMap(({ name, end: { dataset } }) =>
    isForeign(dataset, namespace) ? [foreignDataset(`spec.${name}.dataset`, dataset)] : [],
  );
  if (foreign.length === mayBeTarget.length) errors.push(...foreign.slice(0, 1));
  return { ...spec, ...Object.fromEntries(ends.map(({ name, end }) => [name, end])) };
};

export const DataMigrate = defineKind({
  group: 'data.fluid.io',
  version: 'v1alpha1',
  kind: 'DataMigrate',
  plural: 'datamigrates',
  scope: 'Namespaced',
  shortNames: ['migrate'],
  categories: ['fluid'],
  doc: 'Copies data between a dataset and another dataset or storage.',
  spec: check(
    object('What to copy, from where to where, and when.', {
      from: endpoint('Where the data is.'),
      to: endpoint('Where the data shall be.'),
      block: optional(boolean('Whether the dataset cannot be used meanwhile.')),
      runtimeType: optional(
        string('The engine that copies; that of the target dataset when left out.'),
      ),
      options: optional(options('Options that the engine understands.')),
      ...imageFields,
      ...podFields,
      ...scheduleFields,
      ...flowFields,
      parallelism: withDefault(1, int32('How many pods copy at once.', { minimum: 1 })),
      parallelOptions: optional(
        map(
          'For more than one pod: sshSecretName, and sshPort and sshReadyTimeoutSeconds.',
          string('The value of the option.', { maxLength: 1024 }),
          { maxProperties: 64 },
        ),
      ),
    }),
    cronNeedsSchedule,
    cancelIsForGood,
    {
      rule: 'has(self.from.dataset) || has(self.to.dataset)',
      message: 'at least one of from and to must be a dataset',
    },
    {
      rule: "self.parallelism <= 1 || (has(self.parallelOptions) && 'sshSecretName' in self.parallelOptions && self.parallelOptions['sshSecretName'] != '')",
      message: 'parallelism above 1 needs parallelOptions.sshSecretName',
      reason: 'FieldValueRequired',
      fieldPath: '.parallelOptions',
    },
    {
      rule: "!has(self.parallelOptions) || ['sshPort', 'sshReadyTimeoutSeconds'].all(key, !(key in self.parallelOptions) || self.parallelOptions[key].matches('^[0-9]+$'))",
      message: 'sshPort and sshReadyTimeoutSeconds must be whole numbers',
      fieldPath: '.parallelOptions',
    },
  ),
  status: operationStatus(),
  columns: [
    phaseColumn,
    durationColumn,
    { name: 'From', type: 'string', path: '.spec.from.dataset.name', doc: 'Source.', priority: 1 },
    { name: 'To', type: 'string', path: '.spec.to.dataset.name', doc: 'Target.', priority: 1 },
    afterColumn,
    ...policyColumns,
  ],
  otherSpellings: operationSpellings,
  normalise: operationNormaliser('DataMigrate', targetInOwnNamespace),
});
export type DataMigrate = StoredObjectOf<typeof DataMigrate>;
export type DataMigrateWritten = WrittenObjectOf<typeof DataMigrate>;
