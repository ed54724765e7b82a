import type { Binding } from '../placement/binding/binding.ts';
import type { ClusterFacts } from '../placement/scheduler/cluster-facts.ts';
import { reservationOf } from './queue-marks.ts';

/**
 * The clusters that released, not yet placed work has reserved, with the reserved replicas. Without
 * it the scheduler would take room that was promised to others and is not in the cluster status
 * yet.
 */
export const reservedClusters = (
  { metadata, spec }: Binding,
  clusters: readonly ClusterFacts[],
): readonly ClusterFacts[] | undefined => {
  if ((spec.clusters ?? []).length > 0) return undefined;
  const reservation = reservationOf(metadata);
  if (reservation === undefined) return undefined;
  const isSet = (spec.components ?? []).length > 0;
  const reservations = clusters.flatMap((cluster) => {
    const replicas = reservation.clusters[cluster.name];
    return replicas === undefined ? [] : [{ ...cluster, kept: isSet ? 1 : replicas }];
  });
  return reservations.length === 0 ? undefined : reservations;
};
