import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  type ClusterFacts,
  clusterFacts,
} from '@perigee/scheduling/placement/scheduler/cluster-facts';

/** Reads clusters for placement: each version of a cluster once, however many bindings ask for it. */
export class KnownClusters {
  readonly #facts = new WeakMap<MemberCluster, ClusterFacts>();
  readonly #lists = new WeakMap<readonly MemberCluster[], readonly ClusterFacts[]>();

  factsOf(cluster: MemberCluster): ClusterFacts {
    const known = this.#facts.get(cluster);
    if (known !== undefined) return known;
    const facts = clusterFacts(cluster);
    this.#facts.set(cluster, facts);
    return facts;
  }

  /** The very same array until a cluster changes. */
  all(cache: Caches): readonly ClusterFacts[] {
    const clusters = cache(MemberCluster).list();
    const known = this.#lists.get(clusters);
    if (known !== undefined) return known;
    const facts = clusters.map((cluster) => this.factsOf(cluster));
    this.#lists.set(clusters, facts);
    return facts;
  }
}
