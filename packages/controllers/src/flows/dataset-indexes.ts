import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { Work } from '@perigee/api/kinds/placement/work';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { datasetKey } from '@perigee/scheduling/flows/dataset-claim';
import type { DatasetRef } from '@perigee/scheduling/flows/dataset-source';
import { datasetUses } from '@perigee/scheduling/flows/dataset-uses';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { DATASET_OF_WORK } from '@perigee/scheduling/placement/work/work-names';

const ON_DATASET = 'on-dataset';
const IN_CLUSTER = 'dataset-in-cluster';
const WITHIN = 'dataset-within';
const CLAIM_OF = 'claim-of-dataset';

const isOver = ({ status }: Operation): boolean =>
  status?.phase === 'Complete' || status?.phase === 'Failed';

/** The datasets that an operation has to do with, all in its own namespace. */
export const datasetsOf = (operation: Operation): readonly DatasetRef[] => {
  const { namespace = '' } = operation.metadata;
  return datasetUses(operation).map(({ dataset }) => ({ namespace, name: dataset }));
};

/** One that has only read, and made nothing, leaves nothing behind: a dataset may have many of them. */
const onDataset = (operation: Operation): readonly string[] => {
  const { namespace = '' } = operation.metadata;
  return datasetUses(operation)
    .filter(({ does, isGround }) => does !== 'read' || isGround || !isOver(operation))
    .map(({ dataset }) => datasetKey({ namespace, name: dataset }));
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
  ...OPERATION_KINDS.map((kind) => index(kind, ON_DATASET, onDataset)),
  index(Dataset, IN_CLUSTER, inClusters),
  index(Dataset, WITHIN, within),
  index(Work, CLAIM_OF, claimOf),
];

/** The operations that change, load or just now read a dataset. */
export const operationsOn = (cache: Caches, dataset: DatasetRef): readonly Operation[] =>
  OPERATION_KINDS.flatMap((kind) => cache(kind).byIndex(ON_DATASET, datasetKey(dataset)));

export const datasetsIn = (cache: Caches, cluster: string): readonly Dataset[] =>
  cache(Dataset).byIndex(IN_CLUSTER, cluster);

/** The datasets that lie in the claim of another one. */
export const datasetsWithin = (cache: Caches, dataset: DatasetRef): readonly Dataset[] =>
  cache(Dataset).byIndex(WITHIN, datasetKey(dataset));

/** The Works that carry the claim of a dataset. */
export const claimWorks = (cache: Caches, dataset: DatasetRef): readonly Work[] =>
  cache(Work).byIndex(CLAIM_OF, datasetKey(dataset));
