import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import type { Work } from '@perigee/api/kinds/placement/work';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { type Copies, type CopyWorld, copiesOf } from '@perigee/scheduling/flows/dataset-copies';
import type { DatasetRef } from '@perigee/scheduling/flows/dataset-source';
import { groundOf } from '@perigee/scheduling/flows/ground';
import type { Operation } from '@perigee/scheduling/flows/operation';
import { textIn } from '@perigee/scheduling/interpreter/fields';
import { isJsonObject } from '@perigee/schema/json';
import { claimWorks, operationsBringing } from './dataset-indexes.ts';

/** The uid of the single object of a Work, once its cluster has reported it. */
const claimUidIn = (status: Work['status']): string | undefined => {
  const claim = status?.manifestStatuses?.[0]?.status;
  return isJsonObject(claim) ? textIn(claim, 'uid') || undefined : undefined;
};

/** Clusters and claims, from the caches. */
const worldOf = (dataset: DatasetRef, cache: Caches): CopyWorld => {
  const claims = new Map(
    claimWorks(cache, dataset)
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata, status }) => [
        clusterOfExecutionNamespace(metadata.namespace ?? '') ?? '',
        claimUidIn(status),
      ]),
  );
  return {
    isRegistered: (name) => {
      const cluster = cache(MemberCluster).get({ name });
      return cluster !== undefined && cluster.metadata.deletionTimestamp === undefined;
    },
    claimUid: (cluster) => claims.get(cluster),
    ground: (claim) => {
      const holder = cache(Dataset).get({ namespace: dataset.namespace, name: claim });
      return holder && groundOf(holder);
    },
  };
};

/** The copies of a dataset after these operations. */
export const knownCopies = (
  cache: Caches,
  dataset: Dataset,
  operations: readonly Operation[],
): Copies => {
  const { namespace = '', name } = dataset.metadata;
  return copiesOf(dataset, operations, worldOf({ namespace, name }, cache));
};

/**
 * A dataset with its copies as they are, also before its status shows them. Operations are as `newest` knows them.
 */
export const knownDataset = (
  cache: Caches,
  ref: DatasetRef,
  newest: (operation: Operation) => Operation,
): Dataset | undefined => {
  const dataset = cache(Dataset).get(ref);
  if (dataset === undefined) return undefined;
  const { clusters } = knownCopies(cache, dataset, operationsBringing(cache, ref).map(newest));
  return { ...dataset, status: { ...dataset.status, clusters } as Dataset['status'] };
};

const NOT_HELD: ReadonlySet<DatasetCopy['state']> = new Set(['Evicted', 'Loading']);

/** The clusters with a copy of a dataset, though it may be old or a part. */
export const clustersHolding = (dataset: Dataset | undefined): readonly string[] =>
  (dataset?.status?.clusters ?? [])
    .filter(({ state }) => !NOT_HELD.has(state))
    .map(({ name }) => name);

/** The clusters with a complete copy of a dataset. */
export const clustersWith = (dataset: Dataset | undefined): readonly string[] =>
  (dataset?.status?.clusters ?? [])
    .filter(({ state }) => state === 'Complete')
    .map(({ name }) => name);
