import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import type { SetPart } from '../placement/scheduler/estimate/estimate-sets.ts';
import { withPodsMore } from '../placement/scheduler/estimate/take-room.ts';

interface ClusterPromises {
  readonly byWork: Map<string, readonly SetPart[]>;
  /** Memo: the last cluster asked for, and its room minus the promises. */
  memo?: { readonly cluster: ClusterFacts; readonly rest: ClusterFacts };
}

const countOf = (pods: readonly SetPart[] = []): number =>
  pods.reduce((sum, { replicas }) => sum + replicas, 0);

/**
 * Room promised to released work that the cluster's status does not count yet. Without it, two
 * releases in the same moment would get the same room.
 */
export class PromisedRoom {
  readonly #clusters = new Map<string, ClusterPromises>();

  /** Promises room for these pods in a cluster. Returns true if that is less than before. */
  promise(cluster: string, work: string, pods: readonly SetPart[]): boolean {
    const promise: ClusterPromises = this.#clusters.get(cluster) ?? { byWork: new Map() };
    this.#clusters.set(cluster, promise);
    const isLess = countOf(pods) < countOf(promise.byWork.get(work));
    if (promise.byWork.has(work)) delete promise.memo;
    promise.byWork.set(work, pods);
    const { memo } = promise;
    if (memo !== undefined) promise.memo = { ...memo, rest: withPodsMore(memo.rest, pods) };
    return isLess;
  }

  /** Drops a promise: the cluster counts the pods itself now, or they will not run there. */
  forget(cluster: string, work: string): void {
    const promise = this.#clusters.get(cluster);
    if (promise === undefined || !promise.byWork.delete(work)) return;
    delete promise.memo;
    if (promise.byWork.size === 0) this.#clusters.delete(cluster);
  }

  /** The cluster with the promised room taken off. */
  restOf(cluster: ClusterFacts): ClusterFacts {
    const promise = this.#clusters.get(cluster.name);
    if (promise === undefined) return cluster;
    if (promise.memo?.cluster === cluster) return promise.memo.rest;
    const rest = withPodsMore(cluster, [...promise.byWork.values()].flat());
    promise.memo = { cluster, rest };
    return rest;
  }
}
