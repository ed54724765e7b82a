import type { Amounts } from './amounts.ts';

/** As many as there are bits in a small integer. */
const MOST = 31;

/**
 * The resources that some limit names, by number. Only these are summarised, so that what tenants ask for by other
 * names costs nothing. A search passes over less without a number; it never passes over too much.
 */
export class Dimensions {
  readonly #numbers = new Map<string, number>();
  readonly names: string[] = [];

  numberOf(resource: string): number | undefined {
    return this.#numbers.get(resource);
  }

  /** Whether any of the resources is new. */
  add(amounts: Amounts): boolean {
    const before = this.names.length;
    for (const resource of amounts.keys()) {
      if (this.names.length === MOST || this.#numbers.has(resource)) continue;
      this.#numbers.set(resource, this.names.length);
      this.names.push(resource);
    }
    return this.names.length > before;
  }
}
