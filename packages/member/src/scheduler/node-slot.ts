import { HOSTNAME, type NodeFeatures } from './node-features.ts';
import type { PodDemand } from './pod-demand.ts';

/** The free resources of one node. */
export class NodeSlot {
  readonly name: string;
  readonly features: NodeFeatures;
  readonly #used = new Map<string, number>();
  #cpuLoad = 0;
  #memoryLoad = 0;

  constructor(name: string, features: NodeFeatures) {
    this.name = name;
    this.features = features;
  }

  /** All labels, including the hostname. */
  get labels(): { readonly [label: string]: string } {
    return { ...this.features.labels, [HOSTNAME]: this.name };
  }

  take(demand: PodDemand): void {
    this.#change(demand, 1);
  }

  giveBack(demand: PodDemand): void {
    this.#change(demand, -1);
  }

  fits({ amounts }: PodDemand): boolean {
    for (const [resource, amount] of amounts) if (amount > this.free(resource)) return false;
    return true;
  }

  /** The reasons why the pod does not fit, in the words of kube-scheduler. */
  shortages({ amounts }: PodDemand): readonly string[] {
    return [...amounts]
      .filter(([resource, amount]) => amount > this.free(resource))
      .map(([resource]) => (resource === 'pods' ? 'Too many pods' : `Insufficient ${resource}`));
  }

  /**
   * Utilisation of the node, from 0 to 1, with one more pod if given: of cpu and memory, and of the given extended
   * resources.
   */
  fullness(resources: readonly string[], more?: PodDemand): number {
    const { cpuLoad = 0, memoryLoad = 0, amounts } = more ?? {};
    const cpu = this.#share('cpu', this.#cpuLoad + cpuLoad);
    const memory = this.#share('memory', this.#memoryLoad + memoryLoad);
    const common = (cpu + memory) / 2;
    if (resources.length === 0) return common;
    const shares = resources.map((name) =>
      this.#share(name, (this.#used.get(name) ?? 0) + (amounts?.get(name) ?? 0)),
    );
    return (common + Math.max(...shares)) / 2;
  }

  free(resource: string): number {
    return (this.features.allocatable.get(resource) ?? 0) - (this.#used.get(resource) ?? 0);
  }

  #share(resource: string, used: number): number {
    const all = this.features.allocatable.get(resource) ?? 0;
    return all === 0 ? 1 : Math.min(1, used / all);
  }

  #change({ amounts, cpuLoad, memoryLoad }: PodDemand, sign: 1 | -1): void {
    for (const [resource, amount] of amounts) {
      this.#used.set(resource, (this.#used.get(resource) ?? 0) + sign * amount);
    }
    this.#cpuLoad += sign * cpuLoad;
    this.#memoryLoad += sign * memoryLoad;
  }
}
