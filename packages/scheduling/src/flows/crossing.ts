import type { OperationTransfer } from '@perigee/api/kinds/flows/operation-status';
import type { Refusal } from './validate-operation.ts';

/** Facts about routes between clusters. */
export interface CrossingFacts {
  /** True if the operation copies the dataset between clusters, as it has no other origin. */
  readonly loadsOwnCopies: boolean;
  /** True if a cluster runs pods and publishes their address. */
  readonly canServe: (cluster: string) => boolean;
  /** True if a cluster can upload the data to a store that all clusters reach. */
  readonly canStage?: (cluster: string) => boolean;
  /** True if a cluster responds; all do by default. */
  readonly isReady?: (cluster: string) => boolean;
  /** The price of 1 GiB between two clusters; undefined if not known. */
  readonly priceOf: (from: string, to: string) => number | undefined;
}

/** The source of the data, or the reason why there is none. */
export type Crossing =
  | ({ readonly kind: 'transfer' } & OperationTransfer)
  | ({ readonly kind: 'refused' } & Refusal);

const few = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and others` : names.join(', ');

/** The cluster that serves the data: a responding one, the cheapest of these, then the first by name. */
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
        // Each of them gets all of the data, or one of them, and nobody knows which.
        price: targets.reduce((sum, to) => sum + (priceOf(from, to) ?? 0), 0),
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
