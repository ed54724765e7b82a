import { Cluster } from '@perigee/api/kinds/karmada/cluster';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { type ClusterFacts, clusterFacts } from '@perigee/scheduling/placement/cluster-facts';

/** Reads clusters for placement: each version of a cluster once, however many bindings ask for it. */
export class KnownClusters {
  readonly #facts = new WeakMap<Cluster, ClusterFacts>();

  factsOf(cluster: Cluster): ClusterFacts {
    const known = this.#facts.get(cluster);
    if (known !== undefined) return known;
    const facts = clusterFacts(cluster);
    this.#facts.set(cluster, facts);
    return facts;
  }

  all(cache: Caches): readonly ClusterFacts[] {
    return Array.from(cache(Cluster).list(), (cluster) => this.factsOf(cluster));
  }
}
