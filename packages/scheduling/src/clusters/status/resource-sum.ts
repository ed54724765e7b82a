import {
  addQuantities,
  isZeroQuantity,
  nanosOf,
  type Quantity,
  type QuantityFormat,
  quantityOfNanos,
  subtractQuantity,
  ZERO,
} from '@perigee/api/values/quantity';
import { formatResourceList, type ResourceList } from '@perigee/api/values/resource-list';

const IN_BYTES = /^(memory|ephemeral-storage|hugepages-.+)$/;

const formatOf = (resource: string): QuantityFormat =>
  IN_BYTES.test(resource) ? 'BinarySI' : 'DecimalSI';

/** Thousandths of cores, whole units of all else, a fraction rounded up. */
const rounded = (resource: string, quantity: Quantity): Quantity => {
  const unit = resource === 'cpu' ? 1_000_000n : 1_000_000_000n;
  const units = (nanosOf(quantity) + unit - 1n) / unit;
  return quantityOfNanos(units * unit, formatOf(resource));
};

/** A sum of amounts that come and go. It is exact, so that what went leaves nothing behind. */
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

  /** As a status shows it: by name, so that the same sum is always written the same way. */
  written(): { readonly [resource: string]: string } {
    const names = [...this.#amounts.keys()].sort();
    return formatResourceList(new Map(names.map((name) => [name, rounded(name, this.get(name))])));
  }

  #set(resource: string, quantity: Quantity): void {
    if (isZeroQuantity(quantity)) this.#amounts.delete(resource);
    else this.#amounts.set(resource, quantity);
  }
}
