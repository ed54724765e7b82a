import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { DataWorld } from '@perigee/scheduling/data/claim-data';
import { type ClaimFinder, claimKey } from '@perigee/scheduling/data/concerned-work';
import { offeredKeys, wantedKey } from '@perigee/scheduling/data/data-keys';
import {
  type LocatedCluster,
  type LocatedClusters,
  locatedCluster,
} from '@perigee/scheduling/data/locality';
import { sameJson } from '@perigee/schema/same-json';

const OFFERED = 'data-offered';
const WANTED = 'data-wanted';
const BOUND_TO = 'data-bound-to';
const CONCERNING = 'work-concerned';
const LOCATED = 'data-located';

const boundSourceKeys = ({ status }: DataSourceClaim): readonly string[] =>
  status?.boundDataSource === undefined ? [] : [status.boundDataSource];

const wantedKeys = (claim: DataSourceClaim): readonly string[] =>
  claim.status?.phase === 'Bound' ? [] : [wantedKey(claim)];

const workloadKeys = (claim: DataSourceClaim): readonly string[] => [claimKey(claim)];

const BY_RULE = 'by rule';

const locationKeys = ({ spec: { locality } }: DataSource): readonly string[] => [
  ...(locality.clusterNames ?? []).map((name) => `named ${name}`),
  ...(locality.clusterAffinity === undefined ? [] : [BY_RULE]),
];

/** Created once, since all controllers share the caches. */
export const dataIndexes = [
  index(DataSource, OFFERED, offeredKeys),
  index(DataSource, LOCATED, locationKeys),
  index(DataSourceClaim, WANTED, wantedKeys),
  index(DataSourceClaim, BOUND_TO, boundSourceKeys),
  index(DataSourceClaim, CONCERNING, workloadKeys),
];

/** The sources under a key of `offeredKeys`. */
export const sourcesOffering = (cache: Caches, key: string): readonly DataSource[] =>
  cache(DataSource).byIndex(OFFERED, key);

/** The unbound claims that a source could match. */
export const claimsWanting = (cache: Caches, source: DataSource): readonly DataSourceClaim[] =>
  offeredKeys(source).flatMap((key) => cache(DataSourceClaim).byIndex(WANTED, key));

export const claimsBoundTo = (cache: Caches, source: string): readonly DataSourceClaim[] =>
  cache(DataSourceClaim).byIndex(BOUND_TO, source);

/** Finds the claims of a workload. */
export const claimFinder = (cache: Caches): ClaimFinder => ({
  byKey: (key) => cache(DataSourceClaim).byIndex(CONCERNING, key),
  byName: (namespace, name) => cache(DataSourceClaim).get({ namespace, name }),
});

/** The data sources and clusters that claims are matched with. */
export const dataWorld = (cache: Caches, locations: ClusterLocations): DataWorld => ({
  source: (name) => cache(DataSource).get({ name }),
  clusters: () => locations.all(cache),
});

/** The sources whose locality depends on a cluster. */
export const sourcesLocatedBy = (cache: Caches, cluster: string): readonly DataSource[] => [
  ...new Set(
    [`named ${cluster}`, BY_RULE].flatMap((key) => cache(DataSource).byIndex(LOCATED, key)),
  ),
];

/** True if a change of a cluster can move data or change its availability. */
export const isLocationChange = (
  now: MemberCluster | undefined,
  before: MemberCluster | undefined,
): boolean =>
  now === undefined ||
  before === undefined ||
  !sameJson(locatedCluster(now) as never, locatedCluster(before) as never);

/** Caches the locality facts of each version of a cluster. */
export class ClusterLocations {
  readonly #locations = new WeakMap<MemberCluster, LocatedCluster>();
  readonly #lists = new WeakMap<readonly MemberCluster[], LocatedClusters>();

  all(cache: Caches): LocatedClusters {
    const list = cache(MemberCluster).list();
    const presentMap = this.#lists.get(list);
    if (presentMap !== undefined) return presentMap;
    const clusterByName = new Map(
      list.map((cluster) => [cluster.metadata.name, this.#of(cluster)]),
    );
    this.#lists.set(list, clusterByName);
    return clusterByName;
  }

  #of(cluster: MemberCluster): LocatedCluster {
    const location = this.#locations.get(cluster) ?? locatedCluster(cluster);
    this.#locations.set(cluster, location);
    return location;
  }
}
