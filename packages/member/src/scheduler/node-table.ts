import type { Node } from '@perigee/kubernetes/core/node';
import { featureKey, featuresOf } from './node-features.ts';
import { NodeGroup } from './node-group.ts';
import { NodeSlot } from './node-slot.ts';
import type { PodDemand } from './pod-demand.ts';

interface Place {
  readonly node: string;
  readonly demand: PodDemand;
}

/** All nodes and their pods, bound or just assigned. It is updated incrementally and never rebuilt. */
export class NodeTable {
  readonly #slots = new Map<string, { readonly slot: NodeSlot; readonly key: string }>();
  readonly #groups = new Map<string, NodeGroup>();
  readonly #places = new Map<string, Place>();
  readonly #byNode = new Map<string, Map<string, PodDemand>>();
  #version = 0;

  get size(): number {
    return this.#slots.size;
  }

  /** Increases whenever a pod might fit that did not before. */
  get version(): number {
    return this.#version;
  }

  groups(): Iterable<NodeGroup> {
    return this.#groups.values();
  }

  slot(name: string): NodeSlot | undefined {
    return this.#slots.get(name)?.slot;
  }

  isPlaced(pod: string): boolean {
    return this.#places.has(pod);
  }

  /** Returns true for a change that matters to pods. */
  putNode(node: Node): boolean {
    const { name } = node.metadata;
    const features = featuresOf(node);
    const key = featureKey(features);
    if (this.#slots.get(name)?.key === key) return false;
    this.removeNode(name);
    const slot = new NodeSlot(name, features);
    for (const demand of this.#byNode.get(name)?.values() ?? []) slot.take(demand);
    const group = this.#groups.get(key) ?? new NodeGroup(features);
    this.#groups.set(key, group);
    group.add(slot);
    this.#slots.set(name, { slot, key });
    this.#version += 1;
    return true;
  }

  removeNode(name: string): void {
    const existing = this.#slots.get(name);
    if (existing === undefined) return;
    this.#slots.delete(name);
    const group = this.#groups.get(existing.key);
    group?.remove(existing.slot);
    if (group?.slots.size === 0) this.#groups.delete(existing.key);
    this.#version += 1;
  }

  /** Assigns a pod to a node. Idempotent. */
  place(pod: string, node: string, demand: PodDemand): void {
    if (this.#places.get(pod)?.node === node) return;
    this.remove(pod);
    this.#places.set(pod, { node, demand });
    const onNode = this.#byNode.get(node) ?? new Map<string, PodDemand>();
    this.#byNode.set(node, onNode.set(pod, demand));
    this.#change(node, (slot) => slot.take(demand));
  }

  /** Removes a pod from its node. Returns true if it had one. */
  remove(pod: string): boolean {
    const wasThere = this.undo(pod);
    if (wasThere) this.#version += 1;
    return wasThere;
  }

  /** Undoes a tentative assignment, without a new version: no pod can have been refused because of it. */
  undo(pod: string): boolean {
    const place = this.#places.get(pod);
    if (place === undefined) return false;
    const { node, demand } = place;
    this.#places.delete(pod);
    const onNode = this.#byNode.get(node);
    onNode?.delete(pod);
    if (onNode?.size === 0) this.#byNode.delete(node);
    this.#change(node, (slot) => slot.giveBack(demand));
    return true;
  }

  #change(node: string, change: (slot: NodeSlot) => void): void {
    const existing = this.#slots.get(node);
    if (existing === undefined) return;
    change(existing.slot);
    this.#groups.get(existing.key)?.changed(existing.slot);
  }
}
