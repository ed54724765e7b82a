import { type HeapNode, IndexedHeap, NOWHERE } from '@perigee/kube/heap/indexed-heap';
import type { NodeFeatures } from './node-features.ts';
import type { NodeSlot } from './node-slot.ts';
import type { PodDemand } from './pod-demand.ts';

interface Entry extends HeapNode {
  readonly slot: NodeSlot;
  fullness: number;
}

interface Ordering {
  readonly resources: readonly string[];
  readonly heap: IndexedHeap<Entry>;
  readonly entries: Map<NodeSlot, Entry>;
}

const isEmptier = (a: Entry, b: Entry): boolean =>
  a.fullness < b.fullness || (a.fullness === b.fullness && a.slot.name < b.slot.name);

/** Nodes that differ only in their free resources. Finding the emptiest takes one step, updating one O(log n). */
export class NodeGroup {
  readonly features: NodeFeatures;
  readonly slots = new Set<NodeSlot>();
  /** Orderings by the extended resources of pods, which weigh in for those pods only. */
  readonly #orderings = new Map<string, Ordering>();

  constructor(features: NodeFeatures) {
    this.features = features;
  }

  add(slot: NodeSlot): void {
    this.slots.add(slot);
    for (const ordering of this.#orderings.values()) this.#insert(ordering, slot);
  }

  remove(slot: NodeSlot): void {
    this.slots.delete(slot);
    for (const { heap, entries } of this.#orderings.values()) {
      const entry = entries.get(slot);
      if (entry === undefined) continue;
      heap.remove(entry);
      entries.delete(slot);
    }
  }

  /** Reorders a node after a change. */
  changed(slot: NodeSlot): void {
    for (const { heap, entries, resources } of this.#orderings.values()) {
      const entry = entries.get(slot);
      if (entry === undefined) continue;
      heap.remove(entry);
      entry.fullness = slot.fullness(resources);
      heap.push(entry);
    }
  }

  /** The emptiest node that fits, if any. `examine` is called for every node that is checked. */
  emptiest(demand: PodDemand, examine: () => void): NodeSlot | undefined {
    const { heap, entries } = this.#ordering(demand.extended);
    const first = heap.peek();
    if (first === undefined) return undefined;
    examine();
    if (first.slot.fits(demand)) return first.slot;
    let best: Entry | undefined;
    for (const entry of entries.values()) {
      examine();
      if (!entry.slot.fits(demand)) continue;
      if (best === undefined || isEmptier(entry, best)) best = entry;
    }
    return best?.slot;
  }

  #ordering(resources: readonly string[]): Ordering {
    const key = resources.join();
    const existing = this.#orderings.get(key);
    if (existing !== undefined) return existing;
    const ordering = { resources, heap: new IndexedHeap(isEmptier), entries: new Map() };
    this.#orderings.set(key, ordering);
    for (const slot of this.slots) this.#insert(ordering, slot);
    return ordering;
  }

  #insert({ heap, entries, resources }: Ordering, slot: NodeSlot): void {
    const entry = { slot, fullness: slot.fullness(resources), heapIndex: NOWHERE };
    entries.set(slot, entry);
    heap.push(entry);
  }
}
