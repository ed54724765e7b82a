import type {
  ClusterStatus,
  ResourceSummary,
} from '@perigee/api/kinds/clusters/member-cluster-status';
import type { ResourceModel } from '@perigee/api/kinds/clusters/resource-models';
import { subtractQuantity, ZERO } from '@perigee/api/values/quantity';
import { countGrades, type Free } from './count-grades.ts';
import type { NodeFacts } from './node-facts.ts';
import type { PodUsage } from './pod-usage.ts';
import { ResourceSum } from './resource-sum.ts';

const NOTHING = new ResourceSum();

/** A node, and what its pods take up. */
export interface NodeInUse {
  readonly name: string;
  readonly facts: NodeFacts;
  readonly taken: ResourceSum;
}

/** Pods that are alike share their requests, so that the same list tells them. */
const isSameUsage = (a: PodUsage | undefined, b: PodUsage | undefined): boolean =>
  a?.node === b?.node && a?.requests === b?.requests && a?.claim?.key === b?.claim?.key;

interface Occupied {
  readonly sum: ResourceSum;
  pods: number;
}

/**
 * What a cluster has and what of it is taken, kept up to date by one node or pod at a time: a change costs
 * the same in a cluster of ten pods and of a hundred thousand.
 */
export class ClusterUsage {
  readonly #nodes = new Map<string, NodeFacts>();
  readonly #pods = new Map<string, PodUsage>();
  readonly #waiting = new Map<string, PodUsage>();
  readonly #onNode = new Map<string, Occupied>();
  readonly #allocatable = new ResourceSum();
  readonly #allocated = new ResourceSum();
  readonly #allocating = new ResourceSum();
  #ready = 0;

  /** Takes note of a node, or that it is gone. */
  setNode(name: string, node: NodeFacts | undefined): void {
    const before = this.#nodes.get(name);
    if (before !== undefined) {
      this.#allocatable.subtract(before.allocatable);
      this.#ready -= before.isReady ? 1 : 0;
    }
    if (node === undefined) {
      this.#nodes.delete(name);
      return;
    }
    this.#nodes.set(name, node);
    this.#allocatable.add(node.allocatable);
    this.#ready += node.isReady ? 1 : 0;
  }

  /** Takes note of what a pod takes up, or that it takes up nothing any more. Tells whether that is news. */
  setPod(key: string, pod: PodUsage | undefined): boolean {
    const before = this.#pods.get(key);
    if (isSameUsage(before, pod)) return false;
    if (before !== undefined) this.#leave(before);
    this.#waiting.delete(key);
    if (pod === undefined) {
      this.#pods.delete(key);
      return true;
    }
    this.#pods.set(key, pod);
    if (pod.node === undefined) this.#waiting.set(key, pod);
    this.#enter(pod);
    return true;
  }

  /** Takes note that there are no other nodes than these. */
  keepNodes(names: ReadonlySet<string>): void {
    for (const name of this.#nodes.keys()) if (!names.has(name)) this.setNode(name, undefined);
  }

  /** Takes note that no other pods than these take up anything. */
  keepPods(keys: ReadonlySet<string>): void {
    for (const key of this.#pods.keys()) if (!keys.has(key)) this.setPod(key, undefined);
  }

  /** All nodes, each with what is taken of it. */
  *nodes(): Iterable<NodeInUse> {
    for (const [name, facts] of this.#nodes) {
      yield { name, facts, taken: this.#onNode.get(name)?.sum ?? NOTHING };
    }
  }

  /** The pods that have no node yet. */
  waiting(): Iterable<PodUsage> {
    return this.#waiting.values();
  }

  nodeSummary(): NonNullable<ClusterStatus['nodeSummary']> {
    return { totalNum: this.#nodes.size, readyNum: this.#ready };
  }

  /** The sums, and how many nodes there are of each grade by what they have left. */
  resourceSummary(models: readonly ResourceModel[] = []): ResourceSummary {
    const grades = models.length === 0 ? [] : countGrades(models, this.#freeOfNodes());
    return {
      allocatable: this.#allocatable.written(),
      allocating: this.#allocating.written(),
      allocated: this.#allocated.written(),
      ...(grades.length === 0 ? {} : { allocatableModelings: grades }),
    };
  }

  *#freeOfNodes(): Iterable<Free> {
    for (const { facts, taken } of this.nodes()) {
      yield (resource) =>
        subtractQuantity(facts.allocatable.get(resource) ?? ZERO, taken.get(resource));
    }
  }

  #enter({ node, requests }: PodUsage): void {
    (node === undefined ? this.#allocating : this.#allocated).add(requests);
    if (node === undefined) return;
    const occupied = this.#onNode.get(node) ?? { sum: new ResourceSum(), pods: 0 };
    this.#onNode.set(node, occupied);
    occupied.sum.add(requests);
    occupied.pods += 1;
  }

  #leave({ node, requests }: PodUsage): void {
    (node === undefined ? this.#allocating : this.#allocated).subtract(requests);
    const occupied = node === undefined ? undefined : this.#onNode.get(node);
    if (node === undefined || occupied === undefined) return;
    occupied.sum.subtract(requests);
    occupied.pods -= 1;
    if (occupied.pods === 0) this.#onNode.delete(node);
  }
}
