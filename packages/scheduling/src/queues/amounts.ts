import type { ResourceList } from '@perigee/api/values/resource-list';
import { nanosOf, quantityOfNanos } from '@perigee/schema/values/quantity';

/** Thousandths of cpu, whole units of anything else. A bigint beyond the safe integers: sums stay exact. */
export type Amount = number | bigint;

/** Amounts by resource; none of them is zero. */
export type Amounts = ReadonlyMap<string, Amount>;

export const NOTHING: Amounts = new Map();

const compact = (amount: bigint): Amount =>
  amount >= Number.MIN_SAFE_INTEGER && amount <= Number.MAX_SAFE_INTEGER ? Number(amount) : amount;

export const plus = (a: Amount, b: Amount): Amount => {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return compact(BigInt(a) + BigInt(b));
};

export const minus = (a: Amount, b: Amount): Amount => plus(a, -b);

export const most = (a: Amount, b: Amount): Amount => (a < b ? b : a);

const NANOS_OF_PART = { cpu: 1_000_000n, other: 1_000_000_000n };

const nanosOfPart = (resource: string): bigint =>
  resource === 'cpu' ? NANOS_OF_PART.cpu : NANOS_OF_PART.other;

/** The largest quantity of Kubernetes, in nanos. */
const MOST_NANOS = (2n ** 63n - 1n) * 1_000_000_000n;

/**
 * Fractions of a part are rounded up, as they are wherever room is counted. More than the largest quantity counts as
 * that, as in Kubernetes: sums stay finite, and fit into a status.
 */
export const amountsOf = (list: ResourceList): Amounts => {
  const amounts = new Map<string, Amount>();
  for (const [resource, quantity] of list) {
    const part = nanosOfPart(resource);
    const nanos = nanosOf(quantity);
    const amount = compact(((nanos > MOST_NANOS ? MOST_NANOS : nanos) + part - 1n) / part);
    if (amount > 0) amounts.set(resource, amount);
  }
  return amounts;
};

const formatOf = (resource: string) =>
  resource === 'memory' || resource === 'ephemeral-storage' ? 'BinarySI' : 'DecimalSI';

export const quantitiesOf = (amounts: Amounts): ResourceList =>
  new Map(
    Array.from(amounts, ([resource, amount]) => [
      resource,
      quantityOfNanos(BigInt(amount) * nanosOfPart(resource), formatOf(resource)),
    ]),
  );

/** Adds to one resource of a sum, and removes the entry when it reaches zero. */
export const addTo = (sum: Map<string, Amount>, resource: string, by: Amount): void => {
  const total = plus(sum.get(resource) ?? 0, by);
  if (total === 0) sum.delete(resource);
  else sum.set(resource, total);
};

/** A canonical text: equal amounts give equal text. */
export const textOfAmounts = (amounts: Amounts): string =>
  Array.from(amounts, ([resource, amount]) => `${resource}=${amount}`)
    .sort()
    .join();

export const timesOf = (amounts: Amounts, count: number): Amounts => {
  if (count === 1) return amounts;
  const product = new Map<string, Amount>();
  for (const [resource, amount] of amounts) {
    addTo(product, resource, typeof amount === 'bigint' ? amount * BigInt(count) : amount * count);
  }
  return product;
};
