import type { Amounts } from './amounts.ts';
import type { Dimensions } from './dimensions.ts';

/**
 * A lower bound on the requests of a set of waiting work, by dimension: a search skips the whole
 * set when even this does not fit.
 */
export interface Demand {
  /** The smallest request of any item. */
  readonly least: readonly number[];
  /** The smallest nonzero request. */
  readonly leastAsked: readonly number[];
  /** A bit per dimension that some item requests. */
  readonly requestBits: number;
  /** A bit per slot of the items' shapes. */
  readonly slots: number;
}

export const demandOf = (requests: Amounts, slot: number, dimensions: Dimensions): Demand => {
  const least = new Array<number>(dimensions.names.length).fill(0);
  const leastAsked = new Array<number>(least.length).fill(Number.POSITIVE_INFINITY);
  let requestBits = 0;
  for (const [resource, amount] of requests) {
    const number = dimensions.numberOf(resource);
    if (number === undefined) continue;
    least[number] = Number(amount);
    leastAsked[number] = Number(amount);
    requestBits |= 1 << number;
  }
  return { least, leastAsked, requestBits, slots: 1 << slot };
};

const isBelow = (a: readonly number[], b: readonly number[]): boolean => {
  for (let at = 0; at < a.length; at++) {
    if ((a[at] as number) > (b[at] as number)) return false;
  }
  return true;
};

const covers = (a: Demand, b: Demand): boolean =>
  (a.slots | b.slots) === a.slots &&
  (a.requestBits | b.requestBits) === a.requestBits &&
  isBelow(a.least, b.least) &&
  isBelow(a.leastAsked, b.leastAsked);

const lower = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.map((value, at) => Math.min(value, b[at] as number));

/**
 * The bound of both sets. Returns one of the two objects when it covers the other, so that most
 * summaries are shared.
 */
export const joinDemands = (a: Demand, b: Demand | undefined): Demand => {
  if (b === undefined || a === b || covers(a, b)) return a;
  if (covers(b, a)) return b;
  return {
    least: lower(a.least, b.least),
    leastAsked: lower(a.leastAsked, b.leastAsked),
    requestBits: a.requestBits | b.requestBits,
    slots: a.slots | b.slots,
  };
};
