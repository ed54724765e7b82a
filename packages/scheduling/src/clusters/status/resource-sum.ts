import { formatResourceList, type ResourceList } from '@perigee/api/values/resource-list';
import {
  addQuantities,
  isZeroQuantity,
  nanosOf,
  type Quantity,
  type QuantityFormat,
  quantityOfNanos,
  subtractQuantity,
  ZERO,
} from '@perigee/schema/values/quantity';

const IN_BYTES = /^(memory|ephemeral-storage|hugepages-.+)$/;

const formatOf = (resource: string): QuantityFormat =>
  IN_BYTES.test(resource) ? 'BinarySI' : 'DecimalSI';

/** Milli-cores, and whole units of other resources, rounded up. */
const roundUp = (resource: string, quantity: Quantity): Quantity => {
  const unit = resource === 'cpu' ? 1_000_000n : 1_000_000_000n;
  const units = (nanosOf(quantity) + unit - 1n) / unit;
  return quantityOfNanos(units * unit, formatOf(resource));
};

/** A running sum of added and removed amounts. It is exact, so that removals leave no residue. */
export class ResourceSum {
  readonly #amounts = new Map<string, Quantity>();

  add(list: ResourceList): void {
    for (const [resource, quantity] of list) {
      this.#set(resource, addQuantities(this.#amounts.get(resource) ?? ZERO, quantity));
    }
  }

  subtract(list: ResourceList): void {
    for (const [resource, quantity] of list) {
      this.#set(resource, subtractQuantity(this.#amounts.get(resource) ?? ZERO, quantity));
    }
  }

  get(resource: string): Quantity {
    return this.#amounts.get(resource) ?? ZERO;
  }

  /** Formats the sum for a status, sorted by name: equal sums are written equally. */
  quantities(): { readonly [resource: string]: string } {
    const names = [...this.#amounts.keys()].sort();
    return formatResourceList(new Map(names.map((name) => [name, roundUp(name, this.get(name))])));
  }

  #set(resource: string, quantity: Quantity): void {
    if (isZeroQuantity(quantity)) this.#amounts.delete(resource);
    else this.#amounts.set(resource, quantity);
  }
}
