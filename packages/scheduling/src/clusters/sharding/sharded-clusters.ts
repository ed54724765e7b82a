import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { findCondition } from '@perigee/api/values/conditions';
import { present } from '@perigee/schema/present';
import { knownOffer } from '../inventory/known-offer.ts';
import { UNIQUE } from '../inventory/same-cluster.ts';
import type { ShardedCluster } from './sharding.ts';

/** This much memory weighs as one core. */
const GIB_PER_CORE = 4;

/** The capacity of a cluster in cores; 0 if unknown. */
const capacityOf = (cluster: ClusterRecord): number => {
  const { cpuCapacity = 0, memCapacity = 0 } = knownOffer(cluster);
  return Math.max(Number(cpuCapacity), Number(memCapacity) / GIB_PER_CORE);
};

/** From the widest to the narrowest. Gaps in the record stay empty. */
const placeOf = ({ spec: { geoLocation = {}, region = {} } }: ClusterRecord): readonly string[] => {
  const { country = '', area = '', province = '', city = '' } = geoLocation;
  const geography = [country, area, province, city];
  if (geography.some((part) => part !== '')) return geography;
  const zone = [region.region ?? '', region.availabilityZone ?? ''];
  return zone.some((part) => part !== '') ? zone : [];
};

/**
 * True if the cluster gets a home: it is not being deleted, and is not a duplicate registration.
 */
export const isShared = ({ metadata, status }: ClusterRecord): boolean =>
  metadata.deletionTimestamp === undefined &&
  findCondition(status?.conditions, UNIQUE)?.status !== 'False';

/** The clusters as sharding sees them. Unknown capacity counts as the average of the known ones. */
export const shardedClusters = (
  clusters: readonly ClusterRecord[],
  homeOf: (cluster: string) => string | undefined,
): readonly ShardedCluster[] => {
  const capacities = clusters.map(capacityOf).filter((capacity) => capacity > 0);
  const average =
    capacities.length === 0
      ? 1
      : capacities.reduce((sum, capacity) => sum + capacity, 0) / capacities.length;
  return clusters.map((cluster) => {
    const { name, uid } = cluster.metadata;
    const home = homeOf(name);
    const requestedHome = cluster.spec.homeScheduler;
    return {
      name,
      id: uid,
      place: placeOf(cluster),
      weight: capacityOf(cluster) || average,
      ...present({ home, requestedHome: requestedHome || undefined }),
    };
  });
};
