import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import { withPodsMore } from '../placement/scheduler/estimate/take-room.ts';

interface Promised {
  readonly byWork: Map<string, readonly SetPart[]>;
  /** Memo: the last cluster asked for, and its room minus the promises. */
  memo?: { readonly cluster: ClusterFacts; readonly rest: ClusterFacts };
}

/**
 * Room promised to released work that the cluster's status does not count yet. Without it, two
 * releases in the same moment would get the same room.
 */
export class PromisedRoom {
  readonly #clusters = new Map<string, Promised>();

  /** Promises room for these pods in a cluster. */
  promise(cluster: string, work: string, pods: readonly SetPart[]): void {
    const promised: Promised = this.#clusters.get(cluster) ?? { byWork: new Map() };
    this.#clusters.set(cluster, promised);
    if (promised.byWork.has(work)) delete promised.memo;
    promised.byWork.set(work, pods);
    const { memo } = promised;
    if (memo !== undefined) promised.memo = { ...memo, rest: withPodsMore(memo.rest, pods) };
  }

  /** Drops a promise: the cluster counts the pods itself now, or they will not run there. */
  forget(cluster: string, work: string): void {
    const promised = this.#clusters.get(cluster);
    if (promised === undefined || !promised.byWork.delete(work)) return;
    delete promised.memo;
    if (promised.byWork.size === 0) this.#clusters.delete(cluster);
  }

  /** The cluster with the promised room taken off. */
  restOf(cluster: ClusterFacts): ClusterFacts {
    const promised = this.#clusters.get(cluster.name);
    if (promised === undefined) return cluster;
    if (promised.memo?.cluster === cluster) return promised.memo.rest;
    const rest = withPodsMore(cluster, [...promised.byWork.values()].flat());
    promised.memo = { cluster, rest };
    return rest;
  }
}
