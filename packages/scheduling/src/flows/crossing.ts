import type { OperationTransfer } from '@perigee/api/kinds/flows/operation-status';
import type { Refusal } from './validate-operation.ts';

/** What is known of ways between clusters. */
export interface CrossingFacts {
  /** Whether it copies the dataset from one cluster to another, since that has no other origin. */
  readonly loadsOwnCopies: boolean;
  /** Whether a cluster says where its pods are reached, and runs them. */
  readonly canServe: (cluster: string) => boolean;
  /** Whether a cluster can bring the data to a store that all reach. */
  readonly canStage?: (cluster: string) => boolean;
  /** Whether a cluster answers now; all do unless told otherwise. */
  readonly isReady?: (cluster: string) => boolean;
  /** What 1 GiB costs from one cluster to another; nothing when that is not known. */
  readonly priceOf: (from: string, to: string) => number | undefined;
}

/** Where the data comes from, or why it cannot. */
export type Crossing =
  | ({ readonly kind: 'transfer' } & OperationTransfer)
  | ({ readonly kind: 'refused' } & Refusal);

const few = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and others` : names.join(', ');

/** The cluster that serves the data: one that answers, the cheapest of these, then the first by name. */
export const chooseSource = (
  holders: readonly string[],
  targets: readonly string[],
  { canServe, canStage = () => false, isReady = () => true, priceOf }: CrossingFacts,
): Crossing => {
  const cheapest = (those: readonly string[]): string | undefined =>
    those
      .map((from) => ({
        from,
        lateness: isReady(from) ? 0 : 1,
        price: Math.min(...targets.map((to) => priceOf(from, to) ?? 0)),
      }))
      .sort((a, b) => a.lateness - b.lateness || a.price - b.price || (a.from < b.from ? -1 : 1))[0]
      ?.from;
  const server = cheapest(holders.filter(canServe));
  if (server !== undefined) return { kind: 'transfer', from: server, path: 'Direct' };
  const stager = cheapest(holders.filter(canStage));
  if (stager !== undefined) return { kind: 'transfer', from: stager, path: 'Staging' };
  const message = `the data is in ${few(holders)}, and nothing says how ${few(targets)} can get it from there: announce an address in spec.dataTransfer of the record of ${holders[0]}`;
  return { kind: 'refused', reason: 'NoPathBetweenClusters', message };
};
