/** Keeps the first items in an order, in bounded memory, and counts all. */
export class Shortlist<T> {
  readonly #limit: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #kept: T[] = [];
  #total = 0;

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: T): void {
    this.#total += 1;
    const kept = this.#kept;
    const last = kept.at(-1);
    if (kept.length === this.#limit && last !== undefined && this.#compare(item, last) >= 0) return;
    const at = kept.findIndex((other) => this.#compare(item, other) < 0);
    kept.splice(at < 0 ? kept.length : at, 0, item);
    if (kept.length > this.#limit) kept.pop();
  }

  get total(): number {
    return this.#total;
  }

  get kept(): readonly T[] {
    return this.#kept;
  }
}
