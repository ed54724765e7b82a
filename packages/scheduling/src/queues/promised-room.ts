import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import { withPodsMore } from '../placement/scheduler/estimate/take-room.ts';

interface Promised {
  readonly byWork: Map<string, readonly SetPart[]>;
  /** The cluster as it was last asked for, and with what is promised. */
  known?: { readonly cluster: ClusterFacts; readonly rest: ClusterFacts };
}

/**
 * The room that was promised to work and is not part of what its clusters report yet. Without it, work that is
 * released in one moment would be promised the same room.
 */
export class PromisedRoom {
  readonly #clusters = new Map<string, Promised>();

  /** Work is to have these pods in a cluster. */
  promise(cluster: string, work: string, pods: readonly SetPart[]): void {
    const promised: Promised = this.#clusters.get(cluster) ?? { byWork: new Map() };
    this.#clusters.set(cluster, promised);
    if (promised.byWork.has(work)) delete promised.known;
    promised.byWork.set(work, pods);
    const { known } = promised;
    if (known !== undefined) promised.known = { ...known, rest: withPodsMore(known.rest, pods) };
  }

  /** The cluster counts the pods of the work itself now, or there will be none. */
  forget(cluster: string, work: string): void {
    const promised = this.#clusters.get(cluster);
    if (promised === undefined || !promised.byWork.delete(work)) return;
    delete promised.known;
    if (promised.byWork.size === 0) this.#clusters.delete(cluster);
  }

  /** The cluster without what is promised in it. */
  restOf(cluster: ClusterFacts): ClusterFacts {
    const promised = this.#clusters.get(cluster.name);
    if (promised === undefined) return cluster;
    if (promised.known?.cluster === cluster) return promised.known.rest;
    const rest = withPodsMore(cluster, [...promised.byWork.values()].flat());
    promised.known = { cluster, rest };
    return rest;
  }
}
