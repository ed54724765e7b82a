import { boolean, int32, list, object, string } from '@perigee/schema/structural/builder';
import { check, optional } from '@perigee/schema/structural/schema';
import { defineKind } from '../../kind/define-kind.ts';
import type { StoredObjectOf, WrittenObjectOf } from '../../meta/resource-kind.ts';
import {
  cancelIsForGood,
  cronNeedsSchedule,
  flowFields,
  podFields,
  scheduleFields,
  targetDatasetFields,
} from './operation-fragments.ts';
import {
  datasetInOwnNamespace,
  operationNormaliser,
  operationSpellings,
} from './operation-normalise.ts';
import {
  afterColumn,
  durationColumn,
  operationStatus,
  phaseColumn,
  policyColumns,
} from './operation-status.ts';
import { options } from './storage-fragments.ts';

export const DataLoad = defineKind({
  group: 'data.fluid.io',
  version: 'v1alpha1',
  kind: 'DataLoad',
  plural: 'dataloads',
  scope: 'Namespaced',
  shortNames: ['load'],
  categories: ['fluid'],
  doc: 'Brings data of a dataset into its cache before it is needed.',
  spec: check(
    object('What to load, when and where.', {
      dataset: object('The dataset to load.', targetDatasetFields),
      loadMetadata: optional(
        boolean('Whether the list of files is read anew from the storage first.'),
      ),
      target: optional(
        list(
          'What to load; the whole dataset when left out.',
          object('One part of the dataset.', {
            path: string('The path in the dataset.', { minLength: 1 }),
            replicas: optional(int32('How many copies the cache keeps.', { minimum: 0 })),
          }),
        ),
      ),
      options: optional(options('Options that the runtime of the dataset understands.')),
      ...podFields,
      ...scheduleFields,
      ...flowFields,
    }),
    cronNeedsSchedule,
    cancelIsForGood,
  ),
  status: operationStatus(),
  columns: [
    { name: 'Dataset', type: 'string', path: '.spec.dataset.name', doc: 'The dataset.' },
    phaseColumn,
    durationColumn,
    afterColumn,
    ...policyColumns,
  ],
  otherSpellings: operationSpellings,
  normalise: operationNormaliser('DataLoad', datasetInOwnNamespace),
});
export type DataLoad = StoredObjectOf<typeof DataLoad>;
export type DataLoadWritten = WrittenObjectOf<typeof DataLoad>;
