/** Natural order: `scheduler-2` before `scheduler-10`. */
const names = new Intl.Collator('en', { numeric: true });

export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  names.compare(a.name, b.name);

export const bySince = (a: { readonly since: string }, b: { readonly since: string }): number =>
  Date.parse(a.since) - Date.parse(b.since);

/** Keeps the first items in an order, in bounded memory, and counts all. */
export class Shortlist<T> {
  readonly #limit: number;
  readonly #compare: (a: T, b: T) => number;
  readonly #items: T[] = [];
  #total = 0;

  constructor(limit: number, compare: (a: T, b: T) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: T): void {
    this.#total += 1;
    const items = this.#items;
    const last = items.at(-1);
    if (items.length === this.#limit && last !== undefined && this.#compare(item, last) >= 0)
      return;
    const at = items.findIndex((other) => this.#compare(item, other) < 0);
    items.splice(at < 0 ? items.length : at, 0, item);
    if (items.length > this.#limit) items.pop();
  }

  get total(): number {
    return this.#total;
  }

  get items(): readonly T[] {
    return this.#items;
  }
}
