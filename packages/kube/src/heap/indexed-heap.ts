/** Something that can stand in a heap; the heap notes its place in it. */
export interface HeapNode {
  /** Index of the node, or `NOWHERE`. Only the heap writes it. */
  heapIndex: number;
}

export const NOWHERE = -1;

/**
 * A binary heap whose nodes know their place, so that any of them can leave or move in O(log n).
 * A node stands in at most one heap at a time.
 */
export class IndexedHeap<N extends HeapNode> {
  readonly #nodes: N[] = [];
  readonly #before: (a: N, b: N) => boolean;

  constructor(before: (a: N, b: N) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#nodes.length;
  }

  peek(): N | undefined {
    return this.#nodes[0];
  }

  push(node: N): void {
    this.#rise(node, this.#nodes.length);
  }

  pop(): N | undefined {
    const first = this.#nodes[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  remove(node: N): void {
    const hole = node.heapIndex;
    const last = this.#nodes.pop();
    node.heapIndex = NOWHERE;
    if (last !== undefined && last !== node) this.#settle(last, hole);
  }

  #settle(node: N, index: number): void {
    this.#rise(node, index);
    if (node.heapIndex === index) this.#sink(node, index);
  }

  #rise(node: N, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = this.#nodes[parentIndex];
      if (parent === undefined || !this.#before(node, parent)) break;
      this.#put(parent, index);
      index = parentIndex;
    }
    this.#put(node, index);
  }

  #sink(node: N, from: number): void {
    let index = from;
    for (;;) {
      const childIndex = this.#firstChild(index);
      const child = this.#nodes[childIndex];
      if (child === undefined || !this.#before(child, node)) break;
      this.#put(child, index);
      index = childIndex;
    }
    this.#put(node, index);
  }

  #firstChild(index: number): number {
    const leftChild = 2 * index + 1;
    const leftNode = this.#nodes[leftChild];
    const rightNode = this.#nodes[leftChild + 1];
    const rightFirst =
      leftNode !== undefined && rightNode !== undefined && this.#before(rightNode, leftNode);
    return rightFirst ? leftChild + 1 : leftChild;
  }

  #put(node: N, index: number): void {
    this.#nodes[index] = node;
    node.heapIndex = index;
  }
}
