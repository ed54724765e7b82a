import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { claimData } from '@perigee/scheduling/data/claim-data';
import {
  type ClaimedData,
  claimedDataset,
  type DataPlanWorld,
} from '@perigee/scheduling/flows/data-plan-world';
import { datasetSourceName } from '@perigee/scheduling/flows/dataset-source';
import { OPERATION_KINDS } from '@perigee/scheduling/flows/operation';
import { mountedDatasets } from '@perigee/scheduling/flows/written-data';
import { placementFacts } from '@perigee/scheduling/placement/scheduler/placement-facts';
import { bindingsConcernedBy } from './claimed-bindings.ts';
import { type ClusterLocations, dataWorld } from './data-indexes.ts';

/** A claim with its data, as the caches know it. */
const claimedData = (claim: DataSourceClaim, cache: Caches): ClaimedData => {
  const { namespace = '' } = claim.metadata;
  const boundName = claim.status?.boundDataSource;
  const claimedName = claimedDataset(claim);
  const sourceName =
    boundName ??
    (claimedName === undefined ? undefined : datasetSourceName({ namespace, name: claimedName }));
  const source = sourceName === undefined ? undefined : cache(DataSource).get({ name: sourceName });
  const datasetName = claimedDataset(claim, source);
  const datasetOf = (name: string) => cache(Dataset).get({ namespace, name });
  const dataset = datasetName === undefined ? undefined : datasetOf(datasetName);
  return {
    claim,
    source,
    dataset: dataset?.metadata.deletionTimestamp === undefined ? dataset : undefined,
    mounts: [...new Set(mountedDatasets(dataset))].flatMap((name) => datasetOf(name) ?? []),
  };
};

/** The inputs of a plan for a claim's data, from the caches. */
export const claimCopyWorld = (
  claim: DataSourceClaim,
  cache: Caches,
  nowMs: number,
  locations: ClusterLocations,
  hasStaging: boolean,
): DataPlanWorld => {
  const { namespace = '', name } = claim.metadata;
  const members = cache(MemberCluster).list();
  const claims = cache(DataSourceClaim).listNamespace(namespace);
  return {
    ...claimedData(claim, cache),
    nowMs,
    others: claims
      .filter(({ metadata, spec }) => spec.onMissing === 'Copy' && metadata.name !== name)
      .map((one) => claimedData(one, cache)),
    claims: claims.map((one) => claimData(one, dataWorld(cache, locations))),
    members,
    facts: placementFacts(members, cache(ClusterRoom).list(), nowMs),
    records: cache(ClusterRecord).list(),
    bindings: [...new Set(bindingsConcernedBy(cache, claim))],
    operations: OPERATION_KINDS.flatMap((kind) => cache(kind).listNamespace(namespace)),
    hasStaging,
  };
};
