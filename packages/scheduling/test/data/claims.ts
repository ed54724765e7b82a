import type { DataSource, DataSourceSpec } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { LocatedCluster, LocatedClusters } from '../../src/data/locality.ts';

const meta = (name: string) => ({
  name,
  uid: `uid-${name}`,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
});

/** A hive table that is in the cluster a, unless something else is said. */
export const sourceOf = (
  name: string,
  spec: Partial<DataSourceSpec> = {},
  metadata: Partial<DataSource['metadata']> = {},
): DataSource => ({
  apiVersion: 'datadependency.volcano.sh/v1alpha1',
  kind: 'DataSource',
  metadata: { ...meta(name), ...metadata },
  spec: {
    system: 'hive',
    type: 'table',
    name: 'db.sales',
    locality: { clusterNames: ['a'] },
    reclaimPolicy: 'Retain',
    ...spec,
  },
});

/** The claim of the Deployment web for the hive table db.sales, unless something else is said. */
export const claimOf = (
  name: string,
  spec: Partial<DataSourceClaim['spec']> = {},
  boundDataSource?: string,
): DataSourceClaim => ({
  apiVersion: 'datadependency.volcano.sh/v1alpha1',
  kind: 'DataSourceClaim',
  metadata: { ...meta(name), namespace: 'default' },
  spec: {
    system: 'hive',
    dataSourceType: 'table',
    dataSourceName: 'db.sales',
    workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: 'default' },
    ...spec,
  },
  ...(boundDataSource === undefined ? {} : { status: { phase: 'Bound', boundDataSource } }),
});

/** The same without the fields that are named. */
export const lacking = (
  claim: DataSourceClaim,
  ...fields: readonly (keyof DataSourceClaim['spec'])[]
): DataSourceClaim => {
  const kept = Object.entries(claim.spec).filter(([key]) => !fields.includes(key as never));
  return { ...claim, spec: Object.fromEntries(kept) as DataSourceClaim['spec'] };
};

export const clustersNamed = (...names: readonly string[]): LocatedClusters =>
  new Map(names.map((name) => [name, clusterOf(name)]));

export const clusterOf = (name: string, facts: Partial<LocatedCluster> = {}): LocatedCluster => ({
  name,
  labels: {},
  provider: '',
  region: '',
  zones: [],
  isReady: true,
  ...facts,
});
