import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { Work } from '@perigee/api/kinds/placement/work';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { delayedSource } from '@perigee/kube/controller/delayed-source';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import { type DatasetRef, datasetNamedBy } from '@perigee/scheduling/flows/dataset-source';
import { datasetStatus } from '@perigee/scheduling/flows/dataset-status';
import { datasetUses } from '@perigee/scheduling/flows/dataset-uses';
import { OPERATION_KINDS, type Operation } from '@perigee/scheduling/flows/operation';
import { isRunHere } from '@perigee/scheduling/placement/binding/run-here';
import { sameJson } from '@perigee/schema/same-json';
import { overrideIndexes } from '../placement/binding-work/override-sources.ts';
import { KnownClusters } from '../placement/scheduler/known-clusters.ts';
import {
  clustersOfClaims,
  datasetIndexes,
  datasetOfWork,
  datasetsIn,
  datasetsOf,
  datasetsWithin,
  operationsAbout,
  operationsBringing,
  operationsReading,
} from './dataset-indexes.ts';
import { knownCopies } from './known-copies.ts';
import { kindOf } from './operation-indexes.ts';
import { removeDatasetClaims, writeDatasetClaims } from './write-dataset-claims.ts';
import { removeDatasetSource, writeDatasetSource } from './write-dataset-source.ts';

/**
 * Deletes the operations of a dataset that is being deleted, like the owner references of Fluid. To
 * give each operation such a reference would cost a write; running operations end with their Jobs either way.
 */
const removeOperations = async (
  dataset: DatasetRef,
  { cache, client, signal }: ReconcileContext,
): Promise<void> => {
  const operations = operationsAbout(cache, dataset).filter(
    (one) => isRunHere(one) && one.metadata.deletionTimestamp === undefined,
  );
  for (const operation of operations) {
    const kind = kindOf(operation.kind);
    const preconditions = { uid: operation.metadata.uid };
    const options = { preconditions, propagationPolicy: 'Background', signal } as const;
    if (kind !== undefined) {
      await client.delete(kind, refOf(operation), options).catch(ignoreNotFound);
    }
  }
};

const FIELD_MANAGER = 'perigee-datasets';
const FINALIZER = 'flows.perigee.io/dataset';
const CACHE_LAG_MS = 50;
/** Delay for the status of readers, which begin and end often. */
const READERS_MS = 2_000;

/** True if a change of an operation can affect the copies of a dataset, or its users. */
const isOperationChange = (now: Operation | undefined, before: Operation | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation ||
  now.status?.phase !== before.status?.phase ||
  !sameJson(now.status?.clusters as never, before.status?.clusters as never);

const isWorkChange = (now: Work | undefined, before: Work | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
  !sameJson(now.status?.manifestStatuses, before.status?.manifestStatuses);

/** The datasets to reconcile at once: those whose data an operation changes, or whose claim it needs in a cluster. */
const urgentDatasets = (operation: Operation, cache: Caches): readonly DatasetRef[] => {
  const { namespace = '' } = operation.metadata;
  const clusters = (operation.status?.clusters ?? []).map(({ name }) => name);
  return datasetUses(operation)
    .filter(({ dataset, does, isGround }) => {
      if (does !== 'read' || isGround) return true;
      const claims = clustersOfClaims(cache, { namespace, name: dataset });
      return clusters.some((cluster) => !claims.has(cluster));
    })
    .map(({ dataset }) => ({ namespace, name: dataset }));
};

/** Maintains the status of a dataset, its DataSource, and its claims in clusters. */
class Datasets {
  readonly #clusters = new KnownClusters();

  async reconcile(ref: ObjectRef, context: ReconcileContext): Promise<ReconcileResult> {
    const { cache, client, signal } = context;
    const { namespace = '', name } = ref;
    const dataset = cache(Dataset).get(ref);
    if (dataset === undefined) return this.#clear({ namespace, name }, context);
    const { finalizers, deletionTimestamp } = dataset.metadata;
    const options = { fieldManager: FIELD_MANAGER, signal };
    // A dataset for the Fluid of members has no objects in the control plane.
    if (deletionTimestamp !== undefined || !isRunHere(dataset)) {
      if (deletionTimestamp !== undefined) await removeOperations({ namespace, name }, context);
      await this.#clear({ namespace, name }, context);
      const nextFinalizers = removeFinalizer(finalizers, FINALIZER);
      await setFinalizers(client, Dataset, dataset, nextFinalizers, options);
      return undefined;
    }
    if (!hasFinalizer(dataset, FINALIZER)) {
      const nextFinalizers = addFinalizer(finalizers, FINALIZER);
      await setFinalizers(client, Dataset, dataset, nextFinalizers, options);
      return undefined;
    }
    return this.#keep(dataset, context);
  }

  /** Deletes the dataset's objects in the control plane, without waiting for clusters that do not respond. */
  async #clear(dataset: DatasetRef, context: ReconcileContext): Promise<undefined> {
    await removeDatasetSource(dataset, context);
    await removeDatasetClaims(dataset, context);
  }

  async #keep(dataset: Dataset, context: ReconcileContext): Promise<ReconcileResult> {
    const { cache, client, clock, signal } = context;
    const { namespace = '', name } = dataset.metadata;
    const ref = { namespace, name };
    const bringing = operationsBringing(cache, ref);
    const operations = [...bringing, ...operationsReading(cache, ref)];
    const copies = knownCopies(cache, dataset, bringing);
    const otherSource = await writeDatasetSource(ref, copies.clusters, context);
    const status = datasetStatus(dataset, { copies, operations, otherSource }, clock.now());
    const options = { fieldManager: FIELD_MANAGER, signal };
    await replaceStatus(client, Dataset, dataset, status, options);
    const isDone = await writeDatasetClaims(
      dataset,
      copies.clusters,
      operations,
      this.#clusters,
      context,
    );
    return isDone ? undefined : { requeueAfterMs: CACHE_LAG_MS };
  }
}

/** Reports the copies of datasets, and registers them as DataSources for claims. */
export const datasetController = (): ControllerDefinition => {
  const datasets = new Datasets();
  return defineController({
    name: 'datasets',
    for: Dataset,
    concurrency: 16,
    watches: [
      ...OPERATION_KINDS.flatMap((kind) => [
        watch(kind, { when: isOperationChange, map: urgentDatasets }),
        delayedSource(watch(kind, { when: isOperationChange, map: datasetsOf }), READERS_MS),
      ]),
      watch(DataSource, {
        map: ({ metadata }) => {
          const dataset = datasetNamedBy(metadata.name);
          return dataset === undefined ? [] : [dataset];
        },
      }),
      watch(Work, {
        when: isWorkChange,
        map: (work) => {
          const dataset = datasetOfWork(work);
          return dataset === undefined ? [] : [dataset];
        },
      }),
      watch(MemberCluster, {
        atStart: false,
        when: (now, before) =>
          now?.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
          now?.metadata.uid !== before?.metadata.uid,
        map: ({ metadata }, cache) => datasetsIn(cache, metadata.name).map(refOf),
      }),
      watch(Dataset, {
        atStart: false,
        when: (now, before) =>
          !sameJson(now?.status?.clusters as never, before?.status?.clusters as never),
        map: ({ metadata: { namespace = '', name } }, cache) =>
          datasetsWithin(cache, { namespace, name }).map(refOf),
      }),
    ],
    indexes: [...datasetIndexes, ...overrideIndexes],
    reconcile: (ref, context) => datasets.reconcile(ref, context),
  });
};
