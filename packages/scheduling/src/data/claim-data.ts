import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { clustersOf, type LocatedClusters } from './locality.ts';
import { matchSource } from './match-source.ts';

/** A claim with what is known of its data. */
export interface ClaimData {
  readonly claim: DataSourceClaim;
  /** The source that it is bound to, and that still fits; absent while it is not settled. */
  readonly source?: DataSource;
  /** Where the data is; nowhere while it is not settled. */
  readonly clusters: readonly string[];
}

export interface DataWorld {
  readonly source: (name: string) => DataSource | undefined;
  readonly clusters: () => LocatedClusters;
}

/**
 * The data of a claim. What its status says counts only while it is true: a source that is gone or that fits no
 * longer is none, whether or not anybody has said so yet.
 */
export const claimData = (claim: DataSourceClaim, world: DataWorld): ClaimData => {
  const { boundDataSource } = claim.status ?? {};
  const source = boundDataSource === undefined ? undefined : world.source(boundDataSource);
  return source !== undefined && matchSource(claim, source).fits
    ? { claim, source, clusters: clustersOf(source.spec.locality, world.clusters()) }
    : { claim, clusters: [] };
};
