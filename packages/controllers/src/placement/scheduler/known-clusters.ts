import { ClusterRoom } from '@perigee/api/kinds/clusters/cluster-room';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ClusterFacts,
  clusterFacts,
} from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { type ReadRoom, readClusterRoom } from '@perigee/scheduling/placement/scheduler/read-room';

interface CountedClusters {
  readonly clusters: readonly ClusterFacts[];
  readonly rooms: readonly ClusterRoom[];
  /** The earliest expiry of the rooms. */
  readonly endsAt: number;
  readonly facts: readonly ClusterFacts[];
}

/** Parses clusters for placement: each version of a cluster once, not for each binding. */
export class KnownClusters {
  readonly #facts = new WeakMap<MemberCluster, ClusterFacts>();
  readonly #lists = new WeakMap<readonly MemberCluster[], readonly ClusterFacts[]>();
  readonly #rooms = new WeakMap<ClusterRoom, ReadRoom>();
  #countedClusters: CountedClusters | undefined;

  factsOf(cluster: MemberCluster): ClusterFacts {
    const cachedFacts = this.#facts.get(cluster);
    if (cachedFacts !== undefined) return cachedFacts;
    const facts = clusterFacts(cluster);
    this.#facts.set(cluster, facts);
    return facts;
  }

  /** The facts of all clusters; the identical array until a cluster changes. */
  all(cache: Caches): readonly ClusterFacts[] {
    const clusters = cache(MemberCluster).list();
    const cachedFacts = this.#lists.get(clusters);
    if (cachedFacts !== undefined) return cachedFacts;
    const facts = clusters.map((cluster) => this.factsOf(cluster));
    this.#lists.set(clusters, facts);
    return facts;
  }

  /** The facts with the room counted on nodes; the identical array until a cluster, or its room, changes. */
  withRoom(cache: Caches, nowMs: number): readonly ClusterFacts[] {
    const clusters = this.all(cache);
    const rooms = cache(ClusterRoom).list();
    if (rooms.length === 0) return clusters;
    const last = this.#countedClusters;
    if (last?.clusters === clusters && last.rooms === rooms && nowMs < last.endsAt) {
      return last.facts;
    }
    let endsAt = Number.POSITIVE_INFINITY;
    const facts = clusters.map((cluster) => {
      const { name } = cluster;
      const room = cache(ClusterRoom).get({ namespace: executionNamespace(name), name });
      const read = room && this.#roomOf(room);
      if (read?.space === undefined || read.endsAt <= nowMs) return cluster;
      endsAt = Math.min(endsAt, read.endsAt);
      return { ...cluster, space: read.space };
    });
    this.#countedClusters = { clusters, rooms, endsAt, facts };
    return facts;
  }

  /** The expiry of a cluster's room, in milliseconds since the epoch. */
  endOf(room: ClusterRoom): number {
    return this.#roomOf(room).endsAt;
  }

  #roomOf(room: ClusterRoom): ReadRoom {
    const cachedRoom = this.#rooms.get(room);
    if (cachedRoom !== undefined) return cachedRoom;
    const read = readClusterRoom(room);
    this.#rooms.set(room, read);
    return read;
  }
}
