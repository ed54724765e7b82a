import type { Amounts } from './amounts.ts';

/** Demand holds dimensions as bits of one small integer. */
const MOST = 31;

/**
 * Numbers the resources that some limit names. Only these are summarised, so that arbitrary
 * resource names of tenants cost nothing. Without a number a search prunes less; it never skips
 * work that fits.
 */
export class Dimensions {
  readonly #numbers = new Map<string, number>();
  readonly names: string[] = [];

  numberOf(resource: string): number | undefined {
    return this.#numbers.get(resource);
  }

  /** Returns true if a resource got a new number. */
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
