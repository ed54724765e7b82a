import {
  addQuantities,
  compareQuantities,
  type Quantity,
  subtractQuantity,
  ZERO,
} from '@perigee/schema/values/quantity';
import { formatQuantity, parseQuantity } from '@perigee/schema/values/quantity-text';

/** Amounts by resource, such as cpu and memory. A resource that is absent counts as zero. */
export type ResourceList = ReadonlyMap<string, Quantity>;

/** The list as it stands in an object. */
export type WrittenResourceList = { readonly [resource: string]: string | number };

export const parseResourceList = (list: WrittenResourceList | undefined): ResourceList =>
  new Map(Object.entries(list ?? {}).map(([resource, text]) => [resource, parseQuantity(text)]));

export const formatResourceList = (list: ResourceList): { readonly [resource: string]: string } =>
  Object.fromEntries(
    Array.from(list, ([resource, quantity]) => [resource, formatQuantity(quantity)]),
  );

/** Changes the amounts of the list by those of another. */
const change = (
  list: Map<string, Quantity>,
  by: ResourceList,
  join: (a: Quantity, b: Quantity) => Quantity,
): void => {
  for (const [resource, quantity] of by) {
    list.set(resource, join(list.get(resource) ?? ZERO, quantity));
  }
};

export const sumResourceLists = (lists: Iterable<ResourceList>): ResourceList => {
  const sum = new Map<string, Quantity>();
  for (const list of lists) change(sum, list, addQuantities);
  return sum;
};

/** The first list minus the second; negative where the second has more. */
export const subtractResourceList = (a: ResourceList, b: ResourceList): ResourceList => {
  const rest = new Map(a);
  change(rest, b, subtractQuantity);
  return rest;
};

/** The greater amount of every resource that either list names. */
export const maxResourceList = (a: ResourceList, b: ResourceList): ResourceList => {
  const result = new Map(a);
  for (const [resource, quantity] of b) {
    const other = a.get(resource);
    if (other === undefined || compareQuantities(other, quantity) < 0) {
      result.set(resource, quantity);
    }
  }
  return result;
};

/** True if the available amounts cover every amount that is asked for. */
export const fitsResourceList = (request: ResourceList, available: ResourceList): boolean => {
  for (const [resource, quantity] of request) {
    if (compareQuantities(quantity, available.get(resource) ?? ZERO) > 0) return false;
  }
  return true;
};
