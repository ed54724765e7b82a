import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';

export interface ListClustersOptions extends CallOptions {
  /** Such as `tier=edge,!retired`. */
  readonly labelSelector?: string;
  /** Such as `spec.region.region=us-west,status.phase=Ready`. */
  readonly fieldSelector?: string;
  /** The most clusters that one page has; all of them unless given. */
  readonly limit?: number;
  /** What the page before gave. Selectors and limit have to be those of that page. */
  readonly continue?: string;
}

/** Clusters in the order of their names. */
export interface ClusterPage {
  readonly clusters: readonly ClusterRecord[];
  /** Leads to the next page; absent on the last one. All pages show the moment of the first. */
  readonly continue?: string;
  /** How many come after this page, where the server counts them. */
  readonly remaining?: number;
}

/** One page of the inventory. A `continue` that is too old makes the server answer 410: begin again. */
export const listClusters = async (
  client: Pick<Client, 'list'>,
  options: ListClustersOptions = {},
): Promise<ClusterPage> => {
  const { metadata, items } = await client.list(ClusterRecord, options);
  return {
    clusters: items,
    ...(metadata.continue ? { continue: metadata.continue } : {}),
    ...(metadata.remainingItemCount === undefined
      ? {}
      : { remaining: metadata.remainingItemCount }),
  };
};
