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

/** A dataset with its copies as they are, also before its status shows them. */
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

/**
 * The clusters with a complete copy of a dataset, also before a status shows it; or with a copy in one of the given
 * states. Operations are as `newest` knows them.
 */
export const clustersWith = (
  cache: Caches,
  ref: DatasetRef,
  newest: (operation: Operation) => Operation,
  states: readonly DatasetCopy['state'][] = ['Complete'],
): readonly string[] => {
  const dataset = cache(Dataset).get(ref);
  if (dataset === undefined) return [];
  return knownCopies(cache, dataset, operationsBringing(cache, ref).map(newest))
    .clusters.filter(({ state }) => states.includes(state))
    .map(({ name }) => name);
};
