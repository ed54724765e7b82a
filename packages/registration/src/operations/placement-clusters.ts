import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { listAll } from '@perigee/kube/client/list-all';
import { isForbidden, isNotServed } from '@perigee/kube/errors';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { placementFacts } from '@perigee/scheduling/placement/scheduler/placement-facts';

/** Clusters as the scheduler knows them. */
export interface PlacementClusters {
  readonly clusters: readonly MemberCluster[];
  readonly facts: readonly ClusterFacts[];
  /** Whoever asks may not see what was counted on nodes, though the scheduler does. */
  readonly isRoomHidden: boolean;
}

export interface PlacementClustersOptions extends CallOptions {
  /** Milliseconds since the epoch: older counts do not count. Without it, all do. */
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

/** Reads the clusters, and what was counted on their nodes, for a decision like the scheduler's. */
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
