import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { DatasetCopy } from '@perigee/api/kinds/flows/dataset-status';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import { clusterOfExecutionNamespace } from '@perigee/api/values/karmada-names';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isAlreadyExists, isNotFound } from '@perigee/kube/errors';
import { yamlFormat } from '@perigee/kube/yaml/yaml-format';
import { claimOf, claimWork, clustersWithClaim } from '@perigee/scheduling/flows/dataset-claim';
import type { DatasetRef } from '@perigee/scheduling/flows/dataset-source';
import type { Operation } from '@perigee/scheduling/flows/operation';
import { applyPolicies } from '@perigee/scheduling/placement/override/apply-policies';
import type { JsonObject } from '@perigee/schema/json';
import { overridesFor } from '../placement/binding-work/override-sources.ts';
import { deleteWork, writeWork } from '../placement/binding-work/write-work.ts';
import type { KnownClusters } from '../placement/scheduler/known-clusters.ts';
import { claimWorks } from './dataset-indexes.ts';

const clusterOf = ({ metadata }: KubeObject): string =>
  clusterOfExecutionNamespace(metadata.namespace ?? '') ?? '';

/** Retry interval: another controller creates the execution namespace of a cluster at about the same time. */
const isPassing = (error: unknown): boolean => isAlreadyExists(error) || isNotFound(error);

/**
 * Writes the claim of a dataset to the clusters that need it; false if a retry is due. A claim stays
 * when the operations that needed it are deleted; it is deleted with the dataset, or when its data was evicted.
 */
export const writeDatasetClaims = async (
  dataset: Dataset,
  copies: readonly DatasetCopy[],
  operations: readonly Operation[],
  knownClusters: KnownClusters,
  context: ReconcileContext,
): Promise<boolean> => {
  const { namespace = '', name } = dataset.metadata;
  const present = claimWorks(context.cache, { namespace, name });
  const there = new Set(present.map(clusterOf));
  const desiredClusters = clustersWithClaim(name, copies, operations);
  const evictedClusters = new Set(
    copies.filter(({ state }) => state === 'Evicted').map((copy) => copy.name),
  );
  const unwanted = present.filter((work) => {
    const cluster = clusterOf(work);
    return evictedClusters.has(cluster) && !desiredClusters.has(cluster);
  });
  await Promise.all(unwanted.map((work) => deleteWork(work, context)));
  const missingClusters = [...desiredClusters]
    .filter((cluster) => !there.has(cluster))
    .flatMap((cluster) => context.cache(MemberCluster).get({ name: cluster }) ?? [])
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const results = await Promise.allSettled(
    missingClusters.map(async (cluster) => {
      const claim = claimOf(dataset) as KubeObject & JsonObject;
      const policies = overridesFor(context.cache, claim);
      const { object } = applyPolicies(claim, knownClusters.factsOf(cluster), policies, yamlFormat);
      await writeWork(claimWork(dataset, cluster.metadata.name, object), context);
    }),
  );
  const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  const failure = errors.find((error) => !isPassing(error));
  if (failure !== undefined) throw failure;
  return errors.length === 0;
};

/** Deletes the claims of a dataset, without waiting for clusters that do not answer. */
export const removeDatasetClaims = async (
  dataset: DatasetRef,
  context: ReconcileContext,
): Promise<void> => {
  await Promise.all(claimWorks(context.cache, dataset).map((work) => deleteWork(work, context)));
};
