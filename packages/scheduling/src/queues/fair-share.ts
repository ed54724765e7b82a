import type { Amount, Amounts } from './amounts.ts';
import type { QueueFacts } from './queue-facts.ts';

/** Sort key among sibling queues: compared field by field, the smaller goes first. */
export interface Standing {
  /** The queue's own priority, negated. */
  readonly rank: number;
  /** 0 while the queue is below its deserved amount, else 1: it borrows from then on. */
  readonly borrows: 0 | 1;
  /** Dominant share of the total beyond the deserved amount, divided by weight. */
  readonly borrowed: number;
  /** Dominant share of the deserved amount that is used. */
  readonly satisfied: number;
  /** The number of running workloads, divided by weight. */
  readonly running: number;
}

const part = (of: Amount, whole: Amount | undefined): number =>
  whole === undefined || whole <= 0 ? 0 : Number(of) / Number(whole);

/**
 * The deserved amount of a resource. Resources that `deserved` does not name get the largest
 * portion that it names: a queue that deserves half of the GPUs deserves half of the processors.
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

/** Ranks by dominant share: the resource of which the queue uses the largest part decides. */
export const standingOf = (
  facts: QueueFacts,
  usage: Amounts,
  { total, running }: { readonly total: Amounts; readonly running: number },
): Standing => {
  const deserved = deservedOf(facts, total);
  let [borrowedShare, satisfiedShare] = [0, 0];
  for (const [resource, amount] of usage) {
    const due = deserved(resource);
    borrowedShare = Math.max(borrowedShare, part(Number(amount) - due, total.get(resource)));
    satisfiedShare = Math.max(satisfiedShare, part(amount, due));
  }
  return {
    rank: -facts.priority,
    borrows: facts.deserved.size === 0 || satisfiedShare >= 1 ? 1 : 0,
    borrowed: borrowedShare / facts.weight,
    satisfied: satisfiedShare,
    running: running / facts.weight,
  };
};

/**
 * True if a queue outranks another by priority or because it is below its deserved amount. The
 * other differences flip with every workload that ends.
 */
export const isOfBetterRank = (a: Standing, b: Standing): boolean =>
  a.rank < b.rank || (a.rank === b.rank && a.borrows < b.borrows);

export const compareStandings = (a: Standing, b: Standing): number =>
  a.rank - b.rank ||
  a.borrows - b.borrows ||
  a.borrowed - b.borrowed ||
  a.satisfied - b.satisfied ||
  a.running - b.running;
