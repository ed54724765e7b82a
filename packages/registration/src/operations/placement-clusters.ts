import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden, isNotServed } from '@perigee/kube/errors';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { placementFacts } from '@perigee/scheduling/placement/scheduler/placement-facts';

/** Clusters in the form that the scheduler reads. */
export interface PlacementClusters {
  readonly clusters: readonly MemberCluster[];
  readonly facts: readonly ClusterFacts[];
  /** The caller may not read the room that is counted on nodes, though the scheduler does. */
  readonly isRoomHidden: boolean;
}

export interface PlacementClustersOptions extends CallOptions {
  /** Milliseconds since the epoch, to ignore stale counts; without it all counts are used. */
  readonly nowMs?: number;
}

const listRooms = async (client: Pick<Client, 'list'>, options: CallOptions) => {
  try {
    return (await listAll(client, ClusterRoom, options)).items;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    if (isNotServed(error)) return [];
    throw error;
  }
};

/** Reads the clusters and the room counted on their nodes, to decide as the scheduler would. */
export const readPlacementClusters = async (
  client: Pick<Client, 'list'>,
  { nowMs = Number.NEGATIVE_INFINITY, ...options }: PlacementClustersOptions = {},
): Promise<PlacementClusters> => {
  const [{ items: clusters }, rooms] = await Promise.all([
    listAll(client, MemberCluster, options),
    listRooms(client, options),
  ]);
  const facts = placementFacts(clusters, rooms ?? [], nowMs);
  return { clusters, facts, isRoomHidden: rooms === undefined };
};
