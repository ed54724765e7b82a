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

  /** Removes a pod. Returns the next of its class, which may fit now. */
  remove(pod: string): string | undefined {
    const waiting = this.#pods.get(pod);
    if (waiting === undefined) return undefined;
    const heap = this.#classes.get(waiting.ofClass);
    this.#pods.delete(pod);
    heap?.remove(waiting);
    if (heap?.size === 0) this.#classes.delete(waiting.ofClass);
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
