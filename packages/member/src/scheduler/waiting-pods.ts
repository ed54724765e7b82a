import { type HeapNode, IndexedHeap, NOWHERE } from '@perigee/kube/heap/indexed-heap';

interface Waiting extends HeapNode {
  readonly pod: string;
  readonly ofClass: string;
  readonly priority: number;
  readonly since: number;
}

const goesFirst = (a: Waiting, b: Waiting): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.since < b.since);

/** Unschedulable pods by class: when one of a class finds no node, the others need not try. */
export class WaitingPods {
  readonly #classes = new Map<string, IndexedHeap<Waiting>>();
  readonly #pods = new Map<string, Waiting>();
  #serials = 0;

  add(pod: string, ofClass: string, priority: number): void {
    const existing = this.#pods.get(pod);
    if (existing?.ofClass === ofClass && existing.priority === priority) return;
    this.remove(pod);
    const entry = { pod, ofClass, priority, since: this.#serials++, heapIndex: NOWHERE };
    const heap = this.#classes.get(ofClass) ?? new IndexedHeap(goesFirst);
    this.#classes.set(ofClass, heap);
    heap.push(entry);
    this.#pods.set(pod, entry);
  }

  /** Removes a pod. Returns the next of its class, which may fit now. */
  remove(pod: string): string | undefined {
    const entry = this.#pods.get(pod);
    if (entry === undefined) return undefined;
    const heap = this.#classes.get(entry.ofClass);
    this.#pods.delete(pod);
    heap?.remove(entry);
    if (heap?.size === 0) this.#classes.delete(entry.ofClass);
    return heap?.peek()?.pod;
  }

  /** The first pod of every class, by priority and then by wait. */
  *firsts(): Iterable<string> {
    for (const heap of this.#classes.values()) {
      const first = heap.peek();
      if (first !== undefined) yield first.pod;
    }
  }

  clear(): void {
    this.#classes.clear();
    this.#pods.clear();
  }
}
