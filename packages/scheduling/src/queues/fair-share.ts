import type { Amount, Amounts } from './amounts.ts';
import type { QueueFacts } from './queue-facts.ts';

/** How a queue stands beside its siblings: less goes first, in this order. */
export interface Standing {
  /** The queue's own priority, negated. */
  readonly rank: number;
  /** 0 while it has less than it deserves, else 1: what it gets from then on is borrowed. */
  readonly borrows: 0 | 1;
  /** What it has beyond what it deserves: the largest part of all that there is, by weight. */
  readonly borrowed: number;
  /** What it has of what it deserves: the largest part. */
  readonly satisfied: number;
  /** How much work it runs, by weight. */
  readonly running: number;
}

const part = (of: Amount, whole: Amount | undefined): number =>
  whole === undefined || whole <= 0 ? 0 : Number(of) / Number(whole);

/**
 * What a queue deserves of a resource. Of what `deserved` does not name it deserves the same part as of what it does:
 * a queue that deserves half of the GPUs deserves half of the processors.
 */
export const deservedOf = (
  { deserved }: Pick<QueueFacts, 'deserved'>,
  total: Amounts,
): ((resource: string) => number) => {
  let portion = 0;
  for (const [resource, amount] of deserved) {
    portion = Math.max(portion, part(amount, total.get(resource)));
  }
  return (resource) => Number(deserved.get(resource) ?? portion * Number(total.get(resource) ?? 0));
};

/** Dominant shares: of all resources, the one counts of which the queue has the largest part. */
export const standingOf = (
  facts: QueueFacts,
  used: Amounts,
  { total, running }: { readonly total: Amounts; readonly running: number },
): Standing => {
  const deserved = deservedOf(facts, total);
  let [borrowed, satisfied] = [0, 0];
  for (const [resource, amount] of used) {
    const due = deserved(resource);
    borrowed = Math.max(borrowed, part(Number(amount) - due, total.get(resource)));
    satisfied = Math.max(satisfied, part(amount, due));
  }
  return {
    rank: -facts.priority,
    borrows: facts.deserved.size === 0 || satisfied >= 1 ? 1 : 0,
    borrowed: borrowed / facts.weight,
    satisfied,
    running: running / facts.weight,
  };
};

/**
 * Whether a queue comes before another one for good: by its priority, or because it has less than it deserves. Other
 * differences come and go with every piece of work that ends.
 */
export const isOfBetterRank = (a: Standing, b: Standing): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.borrows < b.borrows);

export const compareStandings = (a: Standing, b: Standing): number =>
  a.rank - b.rank ||
  a.borrows - b.borrows ||
  a.borrowed - b.borrowed ||
  a.satisfied - b.satisfied ||
  a.running - b.running;
