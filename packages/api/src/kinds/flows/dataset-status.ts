import {
  int32,
  int64,
  list,
  listMap,
  map,
  object,
  oneOf,
  string,
  time,
} from '@perigee/schema/structural/builder';
import { node, optional, type StoredOf, withDefault } from '@perigee/schema/structural/schema';
import type { ConditionOf } from '../../reasons/condition-reasons.ts';
import { mount } from './storage-fragments.ts';

export const runtimes = (description: string) =>
  list(
    description,
    object('A runtime: the engine that caches and serves the dataset.', {
      name: optional(string('The name of the runtime.')),
      namespace: optional(string('The namespace of the runtime.')),
      category: optional(string('What the runtime is for, such as Accelerate.')),
      type: optional(string('The engine, such as alluxio or juicefs.')),
      masterReplicas: optional(int32('How many masters the runtime has.', { minimum: 0 })),
    }),
  );

const condition = () =>
  object('One observation about the dataset.', {
    type: string('What is observed, such as Ready, RuntimeScheduled or Updating.', {
      minLength: 1,
      maxLength: 316,
    }),
    status: oneOf('Whether the observation holds.', ['True', 'False', 'Unknown']),
    reason: optional(string('A word for the cause, for programs.')),
    message: optional(string('A sentence about the cause, for people.')),
    lastUpdateTime: optional(time('When this was last looked at.')),
    lastTransitionTime: optional(time('When the status last changed.')),
  });

type WrittenCondition = StoredOf<ReturnType<typeof condition>>;
type ListedCondition = WrittenCondition & ConditionOf<'Dataset'>;

const operationFields = {
  operation: optional(string('The operation that did it, as kind/name.')),
  operationUid: optional(string('The uid of that operation.')),
};

const copy = () =>
  object('The data in one cluster.', {
    name: string('The name of the cluster.', { minLength: 1, maxLength: 253 }),
    state: oneOf(
      'Complete: all of it, as it is now. Only that counts for claims. Stale: the data was changed elsewhere since. Partial: a part of it. Loading: it is on its way. Evicted: it was there, and is gone.',
      ['Complete', 'Stale', 'Partial', 'Loading', 'Evicted'],
    ),
    message: optional(string('A sentence about the state, for people.')),
    claim: optional(
      string('The PersistentVolumeClaim there; the one of the name of the dataset when left out.'),
    ),
    path: optional(string('The directory in that claim; its root when left out.')),
    claimUid: optional(string('The uid of the claim: another one is empty.')),
    bytes: optional(int64('How many bytes there are.', { minimum: 0 })),
    files: optional(int64('How many files there are.', { minimum: 0 })),
    digest: optional(string('A checksum of all files and their names.')),
    cached: optional(string('How much is there, such as 1.21GiB.')),
    cachedPercentage: optional(string('Which part is there, such as 100.0%.')),
    time: optional(time('When the copy was made.')),
    ...operationFields,
  });

export const datasetStatus = () =>
  object('Whether the data can be used, where it is, and how much of it is there.', {
    phase: optional(
      oneOf('The state of the dataset; empty until it was first looked at.', [
        '',
        'Pending',
        'NotBound',
        'Bound',
        'Failed',
        'Updating',
        'DataMigrating',
      ]),
    ),
    mounts: optional(list('The storage that is mounted.', mount('One mounted storage.'))),
    runtimes: optional(runtimes('The runtimes that serve the dataset.')),
    conditions: withDefault(
      [],
      list(
        'What is known about the dataset.',
        node<ListedCondition, WrittenCondition>(condition().openapi),
      ),
    ),
    ufsTotal: optional(string('The size of the data, such as 1.21GiB.')),
    fileNum: optional(string('The number of files.')),
    cacheStates: optional(
      map(
        'Measures of the fullest copy: cached, cachedPercentage; and cacheCapacity, cacheHitRatio and others of a runtime.',
        string('The measured value.'),
      ),
    ),
    hcfs: optional(
      object('Access in the manner of Hadoop.', {
        endpoint: optional(string('The URL.')),
        underlayerFileSystemVersion: optional(string('The version of the file system below.')),
      }),
    ),
    operationRef: optional(
      map(
        'The operations at work, by kind.',
        string('The names of the first 100 of them, separated by commas.'),
      ),
    ),
    dataLoadRef: optional(string('The DataLoad at work. Superseded by operationRef.')),
    dataBackupRef: optional(string('The DataBackup at work. Superseded by operationRef.')),
    datasetRef: optional(
      list('The datasets that mount this one.', string('A dataset, as namespace/name.')),
    ),
    origin: optional(
      object('When the data itself was last changed by an operation.', {
        changedAt: time('When that operation ended. Copies that were begun before are stale.'),
        ...operationFields,
      }),
    ),
    clusters: optional(listMap('The data, cluster by cluster.', ['name'], copy())),
  });

export type DatasetCopy = StoredOf<ReturnType<typeof copy>>;
