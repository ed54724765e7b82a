import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ObjectRef } from '@perigee/kube/client/client';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import { clusterIdOf, knownBeforeAs } from '@perigee/scheduling/clusters/inventory/same-cluster';

const BY_CLUSTER_ID = 'by-cluster-id';

/** Index records and execution targets by the uid of their cluster. */
export const CLUSTER_IDS: readonly CacheIndex[] = [
  index(ClusterRecord, BY_CLUSTER_ID, (record) => {
    const id = clusterIdOf(record);
    return id === undefined ? [] : [id];
  }),
];
export const TARGET_IDS: readonly CacheIndex[] = [
  index(MemberCluster, BY_CLUSTER_ID, ({ spec }) => (spec.id ? [spec.id] : [])),
];

const recordsOf = (id: string, cache: Caches): readonly ClusterRecord[] =>
  cache(ClusterRecord).byIndex(BY_CLUSTER_ID, id);

/** The older record of the same cluster, if there is one. */
export const sameClusterAs = (
  record: ClusterRecord,
  cache: Caches,
  id = clusterIdOf(record),
): string | undefined =>
  id === undefined ? undefined : knownBeforeAs(record, recordsOf(id, cache));

/** The name of the record that the cluster of a target without a record already has. */
export const targetKnownAs = (target: MemberCluster, cache: Caches): string | undefined => {
  const { id } = target.spec;
  if (!id) return undefined;
  const { name } = target.metadata;
  const [record] = recordsOf(id, cache).filter(({ metadata }) => metadata.name !== name);
  return (
    record?.metadata.name ?? knownBeforeAs(target, cache(MemberCluster).byIndex(BY_CLUSTER_ID, id))
  );
};

/** True if the uid of the cluster changed, so that its duplicates have to be reconciled. */
export const isIdentityChange = (
  now: ClusterRecord | undefined,
  before: ClusterRecord | undefined,
): boolean =>
  (now === undefined ? undefined : clusterIdOf(now)) !==
  (before === undefined ? undefined : clusterIdOf(before));

/** All records of the same cluster, and the targets without a record. */
export const withSameId = (record: ClusterRecord, cache: Caches): readonly ObjectRef[] => {
  const id = clusterIdOf(record);
  if (id === undefined) return [];
  return recordsOf(id, cache).map(({ metadata }) => ({ name: metadata.name }));
};

export const targetsWithSameId = (record: ClusterRecord, cache: Caches): readonly ObjectRef[] => {
  const id = clusterIdOf(record);
  if (id === undefined) return [];
  return cache(MemberCluster)
    .byIndex(BY_CLUSTER_ID, id)
    .map(({ metadata }) => ({ name: metadata.name }));
};
