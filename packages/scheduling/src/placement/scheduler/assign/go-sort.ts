/**
 * Sorts like Go's `sort.Sort`, whose order of equal elements decides in Karmada: a pattern-defeating quicksort,
 * stable up to twelve elements only.
 */
const FEW = 12;
const NINTHER = 50;
const MOST_SWAPS = 12;
const REPAIRS = 5;

class Sorting<T> {
  readonly #items: T[];
  readonly #isLess: (a: T, b: T) => boolean;

  constructor(items: T[], isLess: (a: T, b: T) => boolean) {
    this.#items = items;
    this.#isLess = isLess;
  }

  #less(i: number, j: number): boolean {
    return this.#isLess(this.#items[i] as T, this.#items[j] as T);
  }

  #swap(i: number, j: number): void {
    const items = this.#items;
    [items[i], items[j]] = [items[j] as T, items[i] as T];
  }

  #insert(from: number, to: number): void {
    for (let i = from + 1; i < to; i += 1) {
      for (let j = i; j > from && this.#less(j, j - 1); j -= 1) this.#swap(j, j - 1);
    }
  }

  #sink(root: number, size: number, first: number): void {
    for (let at = root; ; ) {
      let child = 2 * at + 1;
      if (child >= size) return;
      if (child + 1 < size && this.#less(first + child, first + child + 1)) child += 1;
      if (!this.#less(first + at, first + child)) return;
      this.#swap(first + at, first + child);
      at = child;
    }
  }

  #heap(from: number, to: number): void {
    const size = to - from;
    for (let i = Math.floor((size - 1) / 2); i >= 0; i -= 1) this.#sink(i, size, from);
    for (let i = size - 1; i >= 0; i -= 1) {
      this.#swap(from, from + i);
      this.#sink(0, i, from);
    }
  }

  /** Swaps three pairs, chosen by a fixed sequence, against adversarial inputs. */
  #shuffle(from: number, to: number): void {
    const size = to - from;
    if (size < 8) return;
    let random = BigInt(size);
    const mask = (1n << BigInt(size.toString(2).length)) - 1n;
    const middle = from + Math.floor(size / 4) * 2;
    for (let at = middle - 1; at <= middle + 1; at += 1) {
      random ^= BigInt.asUintN(64, random << 13n);
      random ^= random >> 7n;
      random ^= BigInt.asUintN(64, random << 17n);
      const offset = Number(random & mask);
      this.#swap(at, from + (offset >= size ? offset - size : offset));
    }
  }

  /** The position of a median, and the order of the samples. */
  #pivot(from: number, to: number): readonly [number, 'up' | 'down' | 'mixed'] {
    let swaps = 0;
    const ordered = (a: number, b: number): readonly [number, number] => {
      if (!this.#less(b, a)) return [a, b];
      swaps += 1;
      return [b, a];
    };
    const median = (x: number, y: number, z: number): number => {
      const [low, high] = ordered(x, y);
      const [middle] = ordered(high, z);
      return ordered(low, middle)[1];
    };
    const quarter = Math.floor((to - from) / 4);
    let [i, j, k] = [from + quarter, from + quarter * 2, from + quarter * 3];
    if (to - from >= NINTHER) {
      [i, j, k] = [median(i - 1, i, i + 1), median(j - 1, j, j + 1), median(k - 1, k, k + 1)];
    }
    j = median(i, j, k);
    return [j, swaps === 0 ? 'up' : swaps === MOST_SWAPS ? 'down' : 'mixed'];
  }

  /** Fixes a few pairs. Returns true if the range is sorted then. */
  #repair(from: number, to: number): boolean {
    let i = from + 1;
    for (let step = 0; step < REPAIRS; step += 1) {
      while (i < to && !this.#less(i, i - 1)) i += 1;
      if (i === to) return true;
      if (to - from < NINTHER) return false;
      this.#swap(i, i - 1);
      if (i - from >= 2) {
        for (let j = i - 1; j >= 1 && this.#less(j, j - 1); j -= 1) this.#swap(j, j - 1);
      }
      if (to - i >= 2) {
        for (let j = i + 1; j < to && this.#less(j, j - 1); j += 1) this.#swap(j, j - 1);
      }
    }
    return false;
  }

  /** Partitions by a pivot. Returns its position, and whether the range was partitioned already. */
  #split(from: number, to: number, pivot: number): readonly [number, boolean] {
    this.#swap(from, pivot);
    let [i, j] = [from + 1, to - 1];
    let isSplit = true;
    for (;;) {
      while (i <= j && this.#less(i, from)) i += 1;
      while (i <= j && !this.#less(j, from)) j -= 1;
      if (i > j) break;
      this.#swap(i, j);
      isSplit = false;
      i += 1;
      j -= 1;
    }
    this.#swap(j, from);
    return [j, isSplit];
  }

  /** Partitions by a pivot without smaller elements: its equals first. */
  #splitEqual(from: number, to: number, pivot: number): number {
    this.#swap(from, pivot);
    let [i, j] = [from + 1, to - 1];
    for (;;) {
      while (i <= j && !this.#less(from, i)) i += 1;
      while (i <= j && this.#less(from, j)) j -= 1;
      if (i > j) return i;
      this.#swap(i, j);
      i += 1;
      j -= 1;
    }
  }

  sort(start: number, end: number, patience: number): void {
    let [from, to, limit] = [start, end, patience];
    let [wasBalanced, wasSplit] = [true, true];
    while (to - from > FEW) {
      if (limit === 0) {
        this.#heap(from, to);
        return;
      }
      if (!wasBalanced) {
        this.#shuffle(from, to);
        limit -= 1;
      }
      let [pivot, runs] = this.#pivot(from, to);
      if (runs === 'down') {
        for (let i = from, j = to - 1; i < j; i += 1, j -= 1) this.#swap(i, j);
        pivot = to - 1 - (pivot - from);
        runs = 'up';
      }
      if (wasBalanced && wasSplit && runs === 'up' && this.#repair(from, to)) return;
      if (from > 0 && !this.#less(from - 1, pivot)) {
        from = this.#splitEqual(from, to, pivot);
        continue;
      }
      const length = to - from;
      const [middle, isSplit] = this.#split(from, to, pivot);
      wasSplit = isSplit;
      const [left, right] = [middle - from, to - middle];
      wasBalanced = Math.min(left, right) >= Math.floor(length / 8);
      if (left < right) {
        this.sort(from, middle, limit);
        from = middle + 1;
      } else {
        this.sort(middle + 1, to, limit);
        to = middle;
      }
    }
    this.#insert(from, to);
  }
}

export const goSort = <T>(items: readonly T[], isLess: (a: T, b: T) => boolean): T[] => {
  const sorted = [...items];
  new Sorting(sorted, isLess).sort(0, sorted.length, sorted.length.toString(2).length);
  return sorted;
};
