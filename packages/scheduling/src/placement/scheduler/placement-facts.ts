import type { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import { type ClusterFacts, clusterFacts } from './cluster-facts.ts';
import { readClusterRoom } from './read-room.ts';

/** The facts of clusters, with the fresh counts of their nodes. */
export const placementFacts = (
  clusters: readonly MemberCluster[],
  rooms: readonly ClusterRoom[],
  nowMs: number,
): readonly ClusterFacts[] => {
  const spaces = new Map(rooms.map((room) => [room.metadata.namespace, room]));
  return clusters.map((cluster) => {
    const facts = clusterFacts(cluster);
    const room = spaces.get(executionNamespace(facts.name));
    const roomFacts = room && readClusterRoom(room);
    return roomFacts?.space === undefined || roomFacts.endsAt <= nowMs
      ? facts
      : { ...facts, space: roomFacts.space };
  });
};
