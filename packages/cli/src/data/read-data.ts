import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { present } from '@perigee/schema/present';

/** Sources, claims and clusters, with the resource versions to start watches from. */
export const readData = async (client: Client, namespace: string | undefined) => {
  const selection = present({ namespace });
  const [sources, claims, clusters] = await Promise.all([
    listAll(client, DataSource),
    listAll(client, DataSourceClaim, selection),
    listAll(client, MemberCluster),
  ]);
  const versions: ReadonlyMap<ResourceKind, string> = new Map<ResourceKind, string>([
    [DataSource, sources.metadata.resourceVersion],
    [DataSourceClaim, claims.metadata.resourceVersion],
  ]);
  return { sources: sources.items, claims: claims.items, clusters: clusters.items, versions };
};
