import { type HeapNode, IndexedHeap, NOWHERE } from '@perigee/kube/heap/indexed-heap';

interface Waiting extends HeapNode {
  readonly pod: string;
  readonly ofClass: string;
  readonly priority: number;
  readonly since: number;
}

const goesFirst = (a: Waiting, b: Waiting): boolean =>
  a.priority > b.priority || (a.priority === b.priority && a.since < b.since);

/** Pods that found no node, by what they need: when one of a class finds none, the others need not try. */
export class WaitingPods {
  readonly #classes = new Map<string, IndexedHeap<Waiting>>();
  readonly #pods = new Map<string, Waiting>();
  #added = 0;

  add(pod: string, ofClass: string, priority: number): void {
    const known = this.#pods.get(pod);
    if (known?.ofClass === ofClass && known.priority === priority) return;
    this.remove(pod);
    const waiting = { pod, ofClass, priority, since: this.#added++, heapIndex: NOWHERE };
    const heap = this.#classes.get(ofClass) ?? new IndexedHeap(goesFirst);
    this.#classes.set(ofClass, heap);
    heap.push(waiting);
    this.#pods.set(pod, waiting);
  }

  /** It waits no longer. The result is the next of its class, who may have better luck now. */
  remove(pod: string): string | undefined {
    const waiting = this.#pods.get(pod);
    if (waiting === undefined) return undefined;
    const heap = this.#classes.get(waiting.ofClass);
    this.#pods.delete(pod);
    heap?.remove(waiting);
    if (heap?.size === 0) this.#classes.delete(waiting.ofClass);
    return heap?.peek()?.pod;
  }

  /** The first of every class: of the highest priority, and there who waits longest. */
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
