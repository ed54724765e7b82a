import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Dataset } from '@perigee/api/kinds/flows/dataset';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ClaimData } from '../data/claim-data.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import { isSourceOf } from './dataset-source.ts';
import type { Operation } from './operation.ts';

/** A claim with its data. */
export interface ClaimedData {
  readonly claim: DataSourceClaim;
  /** The data source, if one is registered. */
  readonly source: DataSource | undefined;
  /** The dataset behind it, if that is one of the claim's namespace. */
  readonly dataset: Dataset | undefined;
  /** The existing datasets that this one mounts. */
  readonly mounts: readonly Dataset[];
}

/** The state that a plan for the data of a claim is made from. */
export interface DataPlanWorld extends ClaimedData {
  readonly nowMs: number;
  /** Other claims of the namespace that copy their data if it is missing. */
  readonly others: readonly ClaimedData[];
  /** The claims of the namespace, each with the clusters of its data. */
  readonly claims: readonly ClaimData[];
  readonly members: readonly MemberCluster[];
  readonly facts: readonly ClusterFacts[];
  readonly records: readonly ClusterRecord[];
  /** The bindings and the operations of the namespace. */
  readonly bindings: readonly ResourceBinding[];
  readonly operations: readonly Operation[];
  /** True if there is a staging store between clusters. */
  readonly hasStaging?: boolean;
}

const FLUID = { system: 'fluid', type: 'dataset' };

/** The dataset of its own namespace that a claim means, by the name in its spec or by its bound source. */
export const claimedDataset = (
  { metadata, spec }: DataSourceClaim,
  source?: DataSource,
): string | undefined => {
  if (spec.system !== FLUID.system || spec.dataSourceType !== FLUID.type) return undefined;
  const [namespace, name, ...more] = (spec.dataSourceName ?? source?.spec.name ?? '').split('/');
  if (!namespace || namespace !== metadata.namespace || !name || more.length > 0) return undefined;
  // The name of a foreign DataSource is untrusted: it could redirect the claim.
  return source === undefined || isSourceOf(source, { namespace, name }) ? name : undefined;
};
