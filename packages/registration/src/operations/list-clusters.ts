import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { present } from '@perigee/schema/present';

export interface ListClustersOptions extends CallOptions {
  /** Such as `tier=edge,!retired`. */
  readonly labelSelector?: string;
  /** Such as `spec.region.region=us-west,status.phase=Ready`. */
  readonly fieldSelector?: string;
  /** The page size; without it there is one page. */
  readonly limit?: number;
  /** The token of the page before. Selectors and limit must stay the same. */
  readonly continue?: string;
}

/** A page of clusters, ordered by name. */
export interface ClusterPage {
  readonly clusters: readonly ClusterRecord[];
  /** The token of the next page; absent on the last. All pages show the snapshot of the first. */
  readonly continue?: string;
  /** The number of clusters after this page, if the server counts them. */
  readonly remaining?: number;
}

/** One page of the inventory. An expired `continue` token gets 410 from the server: start again. */
export const listClusters = async (
  client: Pick<Client, 'list'>,
  options: ListClustersOptions = {},
): Promise<ClusterPage> => {
  const { metadata, items } = await client.list(ClusterRecord, options);
  return {
    clusters: items,
    ...present({
      continue: metadata.continue || undefined,
      remaining: metadata.remainingItemCount,
    }),
  };
};
