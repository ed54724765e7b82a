import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import { workName } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { type DesiredWork, workFor } from '../placement/work/desired-work.ts';
import { DATASET_OF_WORK, MADE_ONCE } from '../placement/work/work-names.ts';
import { isOverIn } from './cluster-states.ts';
import type { DatasetRef } from './dataset-source.ts';
import { datasetUses } from './dataset-uses.ts';
import { isTerminal, type Operation, statusOf } from './operation.ts';

/** As Fluid has it. */
const STORAGE = 'pvc.fluid.io/resources.requests.storage';
const USUAL_STORAGE = '10Gi';

/** A copy has to be written first: a claim with read-only access modes alone would be of no use. */
const accessModesOf = ({ spec }: Dataset): readonly string[] => {
  const writable = (spec.accessModes ?? []).filter((mode) => mode !== 'ReadOnlyMany');
  return writable.length === 0 ? ['ReadWriteMany'] : writable;
};

/** The PersistentVolumeClaim of a dataset: the volume of its copy in each cluster. */
export const claimOf = (dataset: Dataset): JsonObject => {
  const { namespace = '', name, uid, annotations } = dataset.metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    // The uid distinguishes the claims of a deleted dataset from those of its namesake.
    metadata: { namespace, name, uid, annotations: { [MADE_ONCE]: 'true' } },
    spec: {
      accessModes: [...accessModesOf(dataset)],
      resources: { requests: { storage: annotations?.[STORAGE] || USUAL_STORAGE } },
    },
  };
};

export const datasetKey = ({ namespace, name }: DatasetRef): string => `${namespace}/${name}`;

/** The name of the Work with the claim of a dataset in a cluster; differs from that of a propagated claim. */
const claimWorkName = ({ namespace, name }: DatasetRef): string =>
  workName('Dataset', name, namespace);

/**
 * The Work with a dataset's claim for a cluster. Claims that are the only storage of the data outlive the dataset.
 */
export const claimWork = (dataset: Dataset, cluster: string, claim: JsonObject): DesiredWork => {
  const { namespace = '', name } = dataset.metadata;
  const isOnlyPlace = (dataset.spec.mounts ?? []).length === 0;
  const work = {
    labels: {},
    annotations: { [DATASET_OF_WORK]: datasetKey({ namespace, name }) },
    ...present({ preserveResourcesOnDeletion: isOnlyPlace || undefined }),
  };
  return workFor(cluster, claim, work, { name: claimWorkName({ namespace, name }) });
};

/** The clusters that need the claim of a dataset: those with data, and those of operations under way. */
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
      .filter((one) => !isTerminal(statusOf(one)))
      .flatMap(({ status }) => status?.clusters ?? [])
      .filter((state) => !isOverIn(state))
      .map(({ name }) => name),
  ]);
