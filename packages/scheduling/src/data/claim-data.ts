import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { clustersOf, type LocatedClusters } from './locality.ts';
import { matchSource } from './match-source.ts';

/** A claim with its source and the clusters that hold the data. */
export interface ClaimData {
  readonly claim: DataSourceClaim;
  /** The bound source while it still fits; absent while the claim is unbound. */
  readonly source?: DataSource;
  /** The clusters that hold the data; empty while the claim is unbound. */
  readonly clusters: readonly string[];
}

export interface DataWorld {
  readonly source: (name: string) => DataSource | undefined;
  readonly clusters: () => LocatedClusters;
}

/**
 * Resolves a claim. Its status may be stale: a source that is gone or fits no longer counts as
 * none.
 */
export const claimData = (claim: DataSourceClaim, world: DataWorld): ClaimData => {
  const { boundDataSource } = claim.status ?? {};
  const source = boundDataSource === undefined ? undefined : world.source(boundDataSource);
  return source !== undefined && matchSource(claim, source).fits
    ? { claim, source, clusters: clustersOf(source.spec.locality, world.clusters()) }
    : { claim, clusters: [] };
};
