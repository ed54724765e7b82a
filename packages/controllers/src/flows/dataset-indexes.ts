import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { Work } from '@perigee/api/kinds/placement/work';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { datasetKey } from '@perigee/scheduling/flows/dataset-claim';
import type { DatasetRef } from '@perigee/scheduling/flows/dataset-source';
import { datasetUses } from '@perigee/scheduling/flows/dataset-uses';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { targetDataset } from '@perigee/scheduling/flows/written-data';
import { DATASET_OF_WORK } from '@perigee/scheduling/placement/work/work-names';

const BROUGHT = 'dataset-brought-by';
const READ = 'dataset-read-by';
const ABOUT = 'dataset-of-operation';
const IN_CLUSTER = 'dataset-in-cluster';
const WITHIN = 'dataset-within';
const CLAIM_OF = 'claim-of-dataset';

/** The datasets that an operation reads or writes, all in its own namespace. */
export const datasetsOf = (operation: Operation): readonly DatasetRef[] => {
  const { namespace = '' } = operation.metadata;
  return datasetUses(operation).map(({ dataset }) => ({ namespace, name: dataset }));
};

/** Datasets that the operation writes, or whose claims it writes to. */
const broughtBy = (operation: Operation): readonly string[] => {
  const { namespace = '' } = operation.metadata;
  return datasetUses(operation)
    .filter(({ does, isGround }) => does !== 'read' || isGround)
    .map(({ dataset }) => datasetKey({ namespace, name: dataset }));
};

/** Datasets that an unfinished operation only reads: a dataset may have many readers. */
const readBy = (operation: Operation): readonly string[] => {
  const { namespace = '' } = operation.metadata;
  if (operation.status?.phase !== 'Executing') return [];
  return datasetUses(operation)
    .filter(({ does, isGround }) => does === 'read' && !isGround)
    .map(({ dataset }) => datasetKey({ namespace, name: dataset }));
};

const about = (operation: Operation): readonly string[] => {
  const { namespace = '' } = operation.metadata;
  const name = targetDataset(operation);
  return name === undefined ? [] : [datasetKey({ namespace, name })];
};

const inClusters = ({ status }: Dataset): readonly string[] =>
  (status?.clusters ?? []).map(({ name }) => name);

const within = ({ metadata, status }: Dataset): readonly string[] =>
  (status?.clusters ?? []).flatMap(({ claim }) =>
    claim === undefined ? [] : [datasetKey({ namespace: metadata.namespace ?? '', name: claim })],
  );

/** The dataset whose claim a Work carries. */
export const datasetOfWork = ({ metadata }: Work): DatasetRef | undefined => {
  const [namespace, name] = (metadata.annotations?.[DATASET_OF_WORK] ?? '').split('/');
  return namespace && name ? { namespace, name } : undefined;
};

const claimOf = (work: Work): readonly string[] => {
  const dataset = datasetOfWork(work);
  return dataset === undefined ? [] : [datasetKey(dataset)];
};

export const datasetIndexes = [
  ...OPERATION_KINDS.flatMap((kind) => [
    index(kind, BROUGHT, broughtBy),
    index(kind, READ, readBy),
    index(kind, ABOUT, about),
  ]),
  index(Dataset, IN_CLUSTER, inClusters),
  index(Dataset, WITHIN, within),
  index(Work, CLAIM_OF, claimOf),
];

/** The operations that create or remove copies of a dataset. */
export const operationsBringing = (cache: Caches, dataset: DatasetRef): readonly Operation[] =>
  OPERATION_KINDS.flatMap((kind) => cache(kind).byIndex(BROUGHT, datasetKey(dataset)));

/** The unfinished operations that only read a dataset. */
export const operationsReading = (cache: Caches, dataset: DatasetRef): readonly Operation[] =>
  OPERATION_KINDS.flatMap((kind) => cache(kind).byIndex(READ, datasetKey(dataset)));

/** The operations that target a dataset. */
export const operationsAbout = (cache: Caches, dataset: DatasetRef): readonly Operation[] =>
  OPERATION_KINDS.flatMap((kind) => cache(kind).byIndex(ABOUT, datasetKey(dataset)));

export const datasetsIn = (cache: Caches, cluster: string): readonly Dataset[] =>
  cache(Dataset).byIndex(IN_CLUSTER, cluster);

/** The datasets that are stored in the claim of another one. */
export const datasetsWithin = (cache: Caches, dataset: DatasetRef): readonly Dataset[] =>
  cache(Dataset).byIndex(WITHIN, datasetKey(dataset));

/** The Works that carry the claim of a dataset. */
export const claimWorks = (cache: Caches, dataset: DatasetRef): readonly Work[] =>
  cache(Work).byIndex(CLAIM_OF, datasetKey(dataset));

/** The clusters that have the claim of a dataset, or are about to. */
export const clustersOfClaims = (cache: Caches, dataset: DatasetRef): ReadonlySet<string> =>
  new Set(
    claimWorks(cache, dataset).map(
      ({ metadata }) => clusterOfExecutionNamespace(metadata.namespace ?? '') ?? '',
    ),
  );
