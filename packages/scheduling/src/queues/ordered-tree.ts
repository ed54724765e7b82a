/** A node of the tree. Its summary covers its value and both subtrees. */
export interface Branch<T, S> {
  readonly value: T;
  readonly summary: S;
  readonly left: Branch<T, S> | undefined;
  readonly right: Branch<T, S> | undefined;
}

interface OwnBranch<T, S> extends Branch<T, S> {
  readonly depth: number;
  size: number;
  summary: S;
  left: OwnBranch<T, S> | undefined;
  right: OwnBranch<T, S> | undefined;
}

const sizeOf = (branch: OwnBranch<unknown, unknown> | undefined): number => branch?.size ?? 0;

/**
 * An ordered set with a summary per subtree, so that a search can skip subtrees. Insertion, removal
 * and rank are O(log n): it is a treap, with priorities from a fixed pseudo-random sequence.
 */
export class OrderedTree<T, S> {
  readonly #compare: (a: T, b: T) => number;
  readonly #summarise: (value: T, left: S | undefined, right: S | undefined) => S;
  #root: OwnBranch<T, S> | undefined;
  #numbers = 0x9e3779b9;

  constructor(
    compare: (a: T, b: T) => number,
    summarise: (value: T, left: S | undefined, right: S | undefined) => S,
  ) {
    this.#compare = compare;
    this.#summarise = summarise;
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  get root(): Branch<T, S> | undefined {
    return this.#root;
  }

  get first(): T | undefined {
    let branch = this.#root;
    while (branch?.left !== undefined) branch = branch.left;
    return branch?.value;
  }

  /** The value must not be in the tree. */
  insert(value: T): void {
    this.#root = this.#insert(this.#root, value);
  }

  /** The value must compare as it did when it was inserted. */
  remove(value: T): void {
    this.#root = this.#remove(this.#root, value);
  }

  /** The number of values before this one. */
  rank(value: T): number {
    let rank = 0;
    let branch = this.#root;
    while (branch !== undefined) {
      const side = this.#compare(value, branch.value);
      if (side <= 0) {
        if (side === 0) return rank + sizeOf(branch.left);
        branch = branch.left;
      } else {
        rank += sizeOf(branch.left) + 1;
        branch = branch.right;
      }
    }
    return rank;
  }

  /** Recomputes all summaries after the values' own summaries changed. */
  summariseAgain(): void {
    this.#summariseAgain(this.#root);
  }

  *[Symbol.iterator](): IterableIterator<T> {
    const path: OwnBranch<T, S>[] = [];
    let branch = this.#root;
    while (branch !== undefined || path.length > 0) {
      while (branch !== undefined) {
        path.push(branch);
        branch = branch.left;
      }
      const next = path.pop() as OwnBranch<T, S>;
      yield next.value;
      branch = next.right;
    }
  }

  #summariseAgain(branch: OwnBranch<T, S> | undefined): void {
    if (branch === undefined) return;
    this.#summariseAgain(branch.left);
    this.#summariseAgain(branch.right);
    this.#update(branch);
  }

  #nextDepth(): number {
    let x = this.#numbers;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#numbers = x;
    return x;
  }

  #update(branch: OwnBranch<T, S>): OwnBranch<T, S> {
    branch.size = 1 + sizeOf(branch.left) + sizeOf(branch.right);
    branch.summary = this.#summarise(branch.value, branch.left?.summary, branch.right?.summary);
    return branch;
  }

  #insert(branch: OwnBranch<T, S> | undefined, value: T): OwnBranch<T, S> {
    if (branch === undefined) {
      return {
        value,
        depth: this.#nextDepth(),
        size: 1,
        summary: this.#summarise(value, undefined, undefined),
        left: undefined,
        right: undefined,
      };
    }
    if (this.#compare(value, branch.value) < 0) {
      const left = this.#insert(branch.left, value);
      branch.left = left;
      if (left.depth >= branch.depth) return this.#update(branch);
      branch.left = left.right;
      left.right = this.#update(branch);
      return this.#update(left);
    }
    const right = this.#insert(branch.right, value);
    branch.right = right;
    if (right.depth >= branch.depth) return this.#update(branch);
    branch.right = right.left;
    right.left = this.#update(branch);
    return this.#update(right);
  }

  #remove(branch: OwnBranch<T, S> | undefined, value: T): OwnBranch<T, S> | undefined {
    if (branch === undefined) return undefined;
    const side = this.#compare(value, branch.value);
    if (side === 0) return this.#join(branch.left, branch.right);
    if (side < 0) branch.left = this.#remove(branch.left, value);
    else branch.right = this.#remove(branch.right, value);
    return this.#update(branch);
  }

  #join(
    left: OwnBranch<T, S> | undefined,
    right: OwnBranch<T, S> | undefined,
  ): OwnBranch<T, S> | undefined {
    if (left === undefined) return right;
    if (right === undefined) return left;
    if (left.depth < right.depth) {
      left.right = this.#join(left.right, right);
      return this.#update(left);
    }
    right.left = this.#join(left, right.left);
    return this.#update(right);
  }
}
