import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Registry } from '@perigee/apiserver/registry/registry';
import { Deployment } from '@perigee/kubernetes/apps/deployment';
import { Job } from '@perigee/kubernetes/batch/job';
import type { JsonObject } from '@perigee/schema/json';

/** The stored objects of a moment. */
export interface Moment {
  readonly claims: readonly DataSourceClaim[];
  readonly sources: readonly DataSource[];
  readonly clusters: readonly MemberCluster[];
  readonly works: readonly (KubeObject & { readonly kind: string })[];
}

export const momentOf = (
  { store, cluster }: Pick<Registry, 'store' | 'cluster'>,
  namespace: string,
  revision?: number,
): Moment => {
  const all = ({ group, plural, scope }: ResourceKind): readonly JsonObject[] =>
    store
      .range(`${cluster}/${group}/${plural}`, {
        ...(scope === 'Namespaced' ? { prefix: `${namespace}/` } : {}),
        ...(revision === undefined ? {} : { revision }),
      })
      .entries.map(({ object }) => object);
  return {
    claims: all(DataSourceClaim) as never,
    sources: all(DataSource) as never,
    clusters: all(MemberCluster) as never,
    works: [...all(Deployment), ...all(Job)] as never,
  };
};

/** Written anew, so that a fault of the functions under test is not repeated. */
const means = (
  { clusterNames = [], labelSelector }: ClusterAffinity,
  { metadata }: MemberCluster,
): boolean =>
  (clusterNames.length === 0 || clusterNames.includes(metadata.name)) &&
  Object.entries(labelSelector?.matchLabels ?? {}).every(
    ([key, value]) => metadata.labels?.[key] === value,
  );

/** The clusters that any term of a placement means. */
export const meantBy = (
  placement: Placement | undefined,
  clusters: readonly MemberCluster[],
): readonly string[] => {
  const { clusterAffinity, clusterAffinities = [] } = placement ?? {};
  const terms =
    clusterAffinity !== undefined || clusterAffinities.length === 0
      ? [clusterAffinity ?? {}]
      : clusterAffinities;
  return clusters
    .filter((cluster) => terms.some((term) => means(term, cluster)))
    .map(({ metadata }) => metadata.name)
    .sort();
};

const isAbout = (
  { spec }: DataSourceClaim,
  { kind, metadata }: Moment['works'][number],
): boolean =>
  spec.workload === undefined
    ? Object.entries(spec.workloadSelector?.matchLabels ?? {}).every(
        ([key, value]) => metadata.labels?.[key] === value,
      )
    : spec.workload.name === metadata.name && spec.workload.kind === kind;

/** True if a source satisfies a claim. A source without copies satisfies none. */
export const isOffer = ({ spec }: DataSourceClaim, source: DataSource): boolean =>
  source.metadata.deletionTimestamp === undefined &&
  source.spec.name === spec.dataSourceName &&
  ((source.spec.locality.clusterNames ?? []).length > 0 ||
    source.spec.locality.clusterAffinity !== undefined);

const placesOf = ({ spec }: DataSource, { clusters }: Moment): readonly string[] =>
  clusters
    .filter(
      (cluster) =>
        spec.locality.clusterNames?.includes(cluster.metadata.name) === true ||
        (spec.locality.clusterAffinity !== undefined &&
          means(spec.locality.clusterAffinity, cluster)),
    )
    .map(({ metadata }) => metadata.name);

const isReady = ({ status }: MemberCluster): boolean =>
  status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;

/** The source that a claim without one gets: in most ready clusters, then the first by name. */
export const bestOffer = (claim: DataSourceClaim, moment: Moment): DataSource | undefined => {
  const ready = new Set(moment.clusters.filter(isReady).map(({ metadata }) => metadata.name));
  const size = (source: DataSource) =>
    placesOf(source, moment).filter((name) => ready.has(name)).length;
  const offers = moment.sources.filter((source) => isOffer(claim, source));
  const most = Math.max(...offers.map(size));
  return offers
    .filter((source) => size(source) === most)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))[0];
};

/** The verdict of a workload's claims: the allowed clusters, and the wait. */
export interface Verdict {
  readonly isClaimed: boolean;
  readonly mustWait: boolean;
  readonly allowed: readonly string[];
}

/**
 * By the sources that claims say they are bound to, while these offer what is asked for. Work may stay where it is
 * for a claim that says so, and so may a Job unless the claim says that it moves.
 */
export const verdictOn = (
  { spec: { resource, clusters: there = [] } }: ResourceBinding,
  moment: Moment,
): Verdict => {
  const work = moment.works.find(
    ({ kind, metadata }) => kind === resource.kind && metadata.name === resource.name,
  );
  const claims = work === undefined ? [] : moment.claims.filter((claim) => isAbout(claim, work));
  const demands = claims.map((claim) => {
    const { onRunning = resource.kind === 'Job' ? 'Keep' : 'Move' } = claim.spec;
    const stays = onRunning === 'Keep' && there.length > 0;
    const source = moment.sources.find(
      (one) => one.metadata.name === claim.status?.boundDataSource && isOffer(claim, one),
    );
    const places = source === undefined ? [] : placesOf(source, moment);
    return {
      mustWait: source === undefined && !stays,
      places: stays ? [...places, ...there.map(({ name }) => name)] : places,
    };
  });
  return {
    isClaimed: claims.length > 0,
    mustWait: demands.some(({ mustWait }) => mustWait),
    allowed: moment.clusters
      .map(({ metadata }) => metadata.name)
      .filter((name) => demands.every(({ places }) => places.includes(name)))
      .sort(),
  };
};
