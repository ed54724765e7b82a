import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import { isConditionTrue } from '@perigee/api/values/conditions';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { runsPods } from '@perigee/scheduling/clusters/inventory/runs-pods';
import { inAll } from '@perigee/scheduling/data/combine-placement';
import { basePlacementOf } from '@perigee/scheduling/data/data-marks';
import { locatedCluster } from '@perigee/scheduling/data/locality';
import { datasetSourceName } from '@perigee/scheduling/flows/dataset-source';
import type { FindOperation } from '@perigee/scheduling/flows/find-cycle';
import { followedNodes } from '@perigee/scheduling/flows/follow-nodes';
import { type Operation, predecessorKeys } from '@perigee/scheduling/flows/operation';
import {
  type PlacedOperation,
  type PlacingFacts,
  placeOperation,
  type WaitingWork,
} from '@perigee/scheduling/flows/place-operation';
import { routeTo, transferAddress } from '@perigee/scheduling/flows/transfer-routes';
import { datasetsOf, hasOrigin, mountedDatasets } from '@perigee/scheduling/flows/written-data';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { type AnyPolicy, policyFor } from '@perigee/scheduling/placement/policy/policy-for';
import { bindingsConcernedBy } from '../data/claimed-bindings.ts';
import { claimsBoundTo, claimsWanting } from '../data/data-indexes.ts';
import { policiesAbout } from '../placement/detector/policies.ts';
import { clustersHolding, clustersWith } from './known-copies.ts';

/** The policy that selects an operation. Operations carry no marks of policies: it is chosen anew each time. */
export const policyOfOperation = (cache: Caches, operation: Operation): AnyPolicy | undefined => {
  const template = operation as unknown as Template;
  return policyFor(template, policiesAbout(cache, template));
};

const byAge = (a: DataSourceClaim, b: DataSourceClaim): number =>
  a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;

/**
 * Work of a namespace that is not placed because no cluster has the data of its claim. Whoever claims it elsewhere must
 * not decide where a tenant's data goes.
 */
const worksWaitingFor = (
  cache: Caches,
  source: DataSource,
  namespace: string,
): readonly WaitingWork[] => {
  const { name } = source.metadata;
  const claims = [...claimsWanting(cache, source), ...claimsBoundTo(cache, name)]
    .filter(({ metadata }) => metadata.namespace === namespace)
    .toSorted(byAge);
  return claims.flatMap((claim) =>
    bindingsConcernedBy(cache, claim)
      .filter(({ spec }) => (spec.clusters ?? []).length === 0)
      .map(({ metadata, spec }) => ({
        name: `${spec.resource.kind} ${spec.resource.name}`,
        placement: basePlacementOf(metadata) ?? spec.placement ?? {},
      })),
  );
};

/** The clusters that all predecessors of an operation ran in. */
const predecessorClusters = (
  cache: Caches,
  operation: Operation,
  find: FindOperation,
): readonly string[] => {
  const ran = predecessorKeys(operation)
    .map((key) => (find(key)?.status?.clusters ?? []).map(({ name }) => name))
    .filter((names) => names.length > 0);
  return inAll(ran).filter((name) => cache(MemberCluster).get({ name }) !== undefined);
};

/** The datasets of its namespace that a DataLoad copies from: the mounts of its own dataset. */
const mountedBy = (cache: Caches, operation: Operation): readonly string[] => {
  if (operation.kind !== 'DataLoad') return [];
  const { namespace = '' } = operation.metadata;
  const [name = ''] = datasetsOf(operation);
  return mountedDatasets(cache(Dataset).get({ namespace, name }));
};

/** The datasets of its namespace that an operation reads or refreshes. */
export const readDatasets = (cache: Caches, operation: Operation): readonly string[] => {
  const mounted = mountedBy(cache, operation);
  return mounted.length === 0 ? datasetsOf(operation).slice(0, 1) : mounted;
};

/** A text about the places of datasets in a cluster. */
const layouts =
  (datasets: readonly (Dataset | undefined)[]) =>
  (cluster: string): string =>
    JSON.stringify(
      datasets.map((dataset) => {
        const copy = dataset?.status?.clusters?.find(({ name }) => name === cluster);
        return [copy?.claim ?? '', copy?.path ?? ''];
      }),
    );

/** The remaining copies of datasets of which no cluster has all; undefined when none was ever known. */
const remainsOf = (datasets: readonly (Dataset | undefined)[]): PlacingFacts['remains'] => {
  if (datasets.every((dataset) => (dataset?.status?.clusters ?? []).length === 0)) return undefined;
  const names = datasets.flatMap((dataset) => dataset?.metadata.name ?? []);
  return {
    of: `the dataset${names.length > 1 ? 's' : ''} ${names.join(' and ')}`,
    clusters: inAll(datasets.map(clustersHolding)),
  };
};

/** Reads the newest versions of operations, though caches may lag behind. */
export interface KnownOperations {
  readonly find: FindOperation;
  readonly newest: (operation: Operation) => Operation;
  /** A dataset of the namespace with its copies after these operations. */
  readonly dataset: (name: string) => Dataset | undefined;
}

/** The inputs of the present placement of an operation. */
export const placingOf = (
  cache: Caches,
  operation: Operation,
  { find, dataset }: KnownOperations,
  hasStaging: boolean,
): PlacedOperation => {
  const { namespace = '' } = operation.metadata;
  const sourceOf = (dataset = '') =>
    cache(DataSource).get({ name: datasetSourceName({ namespace, name: dataset }) });
  const datasets = datasetsOf(operation);
  const target = sourceOf(datasets.at(-1));
  const read = readDatasets(cache, operation);
  const datasetsRead = read.map(dataset);
  const policy = policyOfOperation(cache, operation);
  const { namespace: of, name = '' } = policy?.metadata ?? {};
  return placeOperation(operation, {
    policy:
      policy === undefined
        ? undefined
        : {
            name: of === undefined ? name : `${of}/${name}`,
            placement: policy.spec.placement ?? {},
          },
    clusters: cache(MemberCluster)
      .list()
      .map((cluster) => ({
        ...locatedCluster(cluster),
        runs: runsPods(cluster, namespace),
      })),
    followed: followedNodes(operation, find).clusters,
    predecessors: predecessorClusters(cache, operation, find),
    datasetClusters: inAll(datasetsRead.map(clustersWith)),
    originOf: read.find((name) => hasOrigin(cache(Dataset).get({ namespace, name }))),
    copiesDatasets: mountedBy(cache, operation).length > 0,
    layoutOf: layouts(datasetsRead),
    remains: remainsOf(datasetsRead),
    waitingWork: target === undefined ? [] : worksWaitingFor(cache, target, namespace),
    crossing: {
      loadsOwnCopies:
        operation.kind === 'DataLoad' &&
        !hasOrigin(cache(Dataset).get({ namespace, name: datasets[0] ?? '' })),
      canServe: (name) => {
        const cluster = cache(MemberCluster).get({ name });
        if (cluster === undefined || !runsPods(cluster, namespace).really) return false;
        return transferAddress(cluster, cache(ClusterRecord).get({ name })) !== undefined;
      },
      canStage: (name) => {
        const cluster = cache(MemberCluster).get({ name });
        return hasStaging && cluster !== undefined && runsPods(cluster, namespace).really;
      },
      isReady: (name) =>
        isConditionTrue(cache(MemberCluster).get({ name })?.status?.conditions, 'Ready'),
      priceOf: (from, to) => routeTo(cache(ClusterRecord).get({ name: from }), to).pricePerGiB,
    },
  });
};
