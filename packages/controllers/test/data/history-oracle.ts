import type { JsonObject } from '@perigee/api/json';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Registry } from '@perigee/apiserver/registry/registry';
import { Deployment } from '@perigee/kubernetes/apps/deployment';

/** What was stored at some moment. */
export interface Moment {
  readonly claims: readonly DataSourceClaim[];
  readonly sources: readonly DataSource[];
  readonly clusters: readonly MemberCluster[];
  readonly works: readonly Deployment[];
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
    works: all(Deployment) as never,
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

const isAbout = ({ spec }: DataSourceClaim, { metadata }: Deployment): boolean =>
  spec.workload === undefined
    ? Object.entries(spec.workloadSelector?.matchLabels ?? {}).every(
        ([key, value]) => metadata.labels?.[key] === value,
      )
    : spec.workload.name === metadata.name;

/** What the claims of a workload say: where it may be, whether it has to wait, whether it may stay. */
export interface Verdict {
  readonly isClaimed: boolean;
  readonly mustWait: boolean;
  readonly mayStay: boolean;
  readonly allowed: readonly string[];
}

export type SourceOf = (claim: DataSourceClaim, moment: Moment) => DataSource | undefined;

/** The source that a claim says it is bound to, while it offers what the claim asks for. */
export const asSaid: SourceOf = ({ spec, status }, { sources }) =>
  sources.find(
    (one) =>
      one.metadata.name === status?.boundDataSource &&
      one.metadata.deletionTimestamp === undefined &&
      one.spec.name === spec.dataSourceName,
  );

/** The one source that offers what the claim asks for. */
export const asOffered: SourceOf = ({ spec }, { sources }) =>
  sources.find(
    (one) => one.metadata.deletionTimestamp === undefined && one.spec.name === spec.dataSourceName,
  );

export const verdictOn = (
  { spec: { resource } }: ResourceBinding,
  moment: Moment,
  sourceOf: SourceOf,
): Verdict => {
  const work = moment.works.find(({ metadata }) => metadata.name === resource.name);
  const claims = work === undefined ? [] : moment.claims.filter((claim) => isAbout(claim, work));
  const placesOf = (claim: DataSourceClaim): readonly string[] => {
    const { clusterNames, clusterAffinity } = sourceOf(claim, moment)?.spec.locality ?? {};
    return moment.clusters
      .filter(
        (cluster) =>
          clusterNames?.includes(cluster.metadata.name) === true ||
          (clusterAffinity !== undefined && means(clusterAffinity, cluster)),
      )
      .map(({ metadata }) => metadata.name);
  };
  return {
    isClaimed: claims.length > 0,
    mustWait: claims.some((claim) => sourceOf(claim, moment) === undefined),
    mayStay: claims.some(({ spec }) => spec.onRunning === 'Keep'),
    allowed: moment.clusters
      .map(({ metadata }) => metadata.name)
      .filter((name) => claims.every((claim) => placesOf(claim).includes(name)))
      .sort(),
  };
};
