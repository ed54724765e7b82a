import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { workName } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { type DesiredWork, workFor } from '../placement/work/desired-work.ts';
import { DATASET_OF_WORK, MADE_ONCE } from '../placement/work/work-names.ts';
import type { DatasetRef } from './dataset-source.ts';
import { datasetUses } from './dataset-uses.ts';
import type { Operation } from './operation.ts';

/** As Fluid has it. */
const STORAGE = 'pvc.fluid.io/resources.requests.storage';
const USUAL_STORAGE = '10Gi';

/** Somebody has to write the copy, so that a claim which can only be read would be of no use. */
const accessModesOf = ({ spec }: Dataset): readonly string[] => {
  const writable = (spec.accessModes ?? []).filter((mode) => mode !== 'ReadOnlyMany');
  return writable.length === 0 ? ['ReadWriteMany'] : writable;
};

/** The PersistentVolumeClaim of a dataset: in each cluster the volume that holds its copy. */
export const claimOf = (dataset: Dataset): JsonObject => {
  const { namespace = '', name, uid, annotations } = dataset.metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    // Of the dataset: it tells those of one that was deleted from those of the next.
    metadata: { namespace, name, uid, annotations: { [MADE_ONCE]: 'true' } },
    spec: {
      accessModes: [...accessModesOf(dataset)],
      resources: { requests: { storage: annotations?.[STORAGE] || USUAL_STORAGE } },
    },
  };
};

export const datasetKey = ({ namespace, name }: DatasetRef): string => `${namespace}/${name}`;

/** The name of the Work that takes the claim of a dataset to a cluster. A claim that a policy propagates has another. */
const claimWorkName = ({ namespace, name }: DatasetRef): string =>
  workName('Dataset', name, namespace);

/**
 * The Work that takes a claim to a cluster. Data that has no storage but these claims is not deleted with the
 * dataset.
 */
export const claimWork = (dataset: Dataset, cluster: string, claim: JsonObject): DesiredWork => {
  const { namespace = '', name } = dataset.metadata;
  const isOnlyPlace = (dataset.spec.mounts ?? []).length === 0;
  const work = {
    labels: {},
    annotations: { [DATASET_OF_WORK]: datasetKey({ namespace, name }) },
    ...(isOnlyPlace ? { preserveResourcesOnDeletion: true } : {}),
  };
  return workFor(cluster, claim, work, { name: claimWorkName({ namespace, name }) });
};

/** The clusters that need the claim of a dataset: they hold data, or an operation is to run there. */
export const clustersWithClaim = (
  dataset: string,
  copies: readonly DatasetCopy[],
  operations: readonly Operation[],
): ReadonlySet<string> =>
  new Set([
    ...copies
      .filter(({ state, claim }) => state !== 'Evicted' && claim === undefined)
      .map(({ name }) => name),
    ...operations
      .filter((one) =>
        datasetUses(one).some(
          (use) =>
            use.dataset === dataset &&
            use.place === undefined &&
            // Data served by another cluster needs no claim in the target.
            (use.does !== 'read' || one.status?.transfer === undefined),
        ),
      )
      .flatMap(({ status }) => status?.clusters ?? [])
      .filter(({ phase }) => phase !== 'Complete')
      .map(({ name }) => name),
  ]);
