import type {
  ClusterStatus,
  ResourceSummary,
} from '@perigee/api/kinds/clusters/member-cluster-status';
import type { ResourceModel } from '@perigee/api/kinds/clusters/resource-models';
import { present, unlessEmpty } from '@perigee/schema/present';
import { subtractQuantity, ZERO } from '@perigee/schema/values/quantity';
import { countGrades, type Free } from './count-grades.ts';
import type { NodeFacts } from './node-facts.ts';
import type { PodUsage } from './pod-usage.ts';
import { ResourceSum } from './resource-sum.ts';

const NOTHING = new ResourceSum();

/** A node and the requests of its pods. */
export interface NodeInUse {
  readonly name: string;
  readonly facts: NodeFacts;
  readonly usage: ResourceSum;
}

/** Equal pods share one requests object, so that identity distinguishes them. */
const isSameUsage = (a: PodUsage | undefined, b: PodUsage | undefined): boolean =>
  a?.node === b?.node && a?.requests === b?.requests && a?.claim?.key === b?.claim?.key;

interface Occupancy {
  readonly sum: ResourceSum;
  pods: number;
}

/**
 * The capacity and usage of a cluster, updated per node or pod: an update costs the same with ten
 * pods and with a hundred thousand.
 */
export class ClusterUsage {
  readonly #nodes = new Map<string, NodeFacts>();
  readonly #pods = new Map<string, PodUsage>();
  readonly #waitingPods = new Map<string, PodUsage>();
  readonly #onNode = new Map<string, Occupancy>();
  readonly #allocatable = new ResourceSum();
  readonly #allocated = new ResourceSum();
  readonly #allocating = new ResourceSum();
  #ready = 0;

  /** Adds, updates or removes a node. */
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

  /** Adds, updates or removes a pod's usage. Returns true if it changed. */
  setPod(key: string, pod: PodUsage | undefined): boolean {
    const before = this.#pods.get(key);
    if (isSameUsage(before, pod)) return false;
    if (before !== undefined) this.#leave(before);
    this.#waitingPods.delete(key);
    if (pod === undefined) {
      this.#pods.delete(key);
      return true;
    }
    this.#pods.set(key, pod);
    if (pod.node === undefined) this.#waitingPods.set(key, pod);
    this.#enter(pod);
    return true;
  }

  /** Removes all other nodes, after a relist. */
  keepNodes(names: ReadonlySet<string>): void {
    for (const name of this.#nodes.keys()) if (!names.has(name)) this.setNode(name, undefined);
  }

  /** Removes all other pods, after a relist. */
  keepPods(keys: ReadonlySet<string>): void {
    for (const key of this.#pods.keys()) if (!keys.has(key)) this.setPod(key, undefined);
  }

  /** All nodes with their usage. */
  *nodes(): Iterable<NodeInUse> {
    for (const [name, facts] of this.#nodes) {
      yield { name, facts, usage: this.#onNode.get(name)?.sum ?? NOTHING };
    }
  }

  /** Pods that are not bound to a node. */
  waitingPods(): Iterable<PodUsage> {
    return this.#waitingPods.values();
  }

  nodeSummary(): NonNullable<ClusterStatus['nodeSummary']> {
    return { totalNum: this.#nodes.size, readyNum: this.#ready };
  }

  /** The totals, and the number of nodes per resource model grade by free amounts. */
  resourceSummary(models: readonly ResourceModel[] = []): ResourceSummary {
    const grades = models.length === 0 ? [] : countGrades(models, this.#freeOfNodes());
    return {
      allocatable: this.#allocatable.quantities(),
      allocating: this.#allocating.quantities(),
      allocated: this.#allocated.quantities(),
      ...present({ allocatableModelings: unlessEmpty(grades) }),
    };
  }

  *#freeOfNodes(): Iterable<Free> {
    for (const { facts, usage } of this.nodes()) {
      yield (resource) =>
        subtractQuantity(facts.allocatable.get(resource) ?? ZERO, usage.get(resource));
    }
  }

  #enter({ node, requests }: PodUsage): void {
    (node === undefined ? this.#allocating : this.#allocated).add(requests);
    if (node === undefined) return;
    const occupancy = this.#onNode.get(node) ?? { sum: new ResourceSum(), pods: 0 };
    this.#onNode.set(node, occupancy);
    occupancy.sum.add(requests);
    occupancy.pods += 1;
  }

  #leave({ node, requests }: PodUsage): void {
    (node === undefined ? this.#allocating : this.#allocated).subtract(requests);
    const occupancy = node === undefined ? undefined : this.#onNode.get(node);
    if (node === undefined || occupancy === undefined) return;
    occupancy.sum.subtract(requests);
    occupancy.pods -= 1;
    if (occupancy.pods === 0) this.#onNode.delete(node);
  }
}
