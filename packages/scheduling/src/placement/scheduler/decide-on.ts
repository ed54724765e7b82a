import { carriedPlacement } from '../../data/carried-placement.ts';
import type { Binding } from '../binding/binding.ts';
import { reservationOf } from '../binding/queue-marks.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import type { PlacementWorld } from './place.ts';
import type { RecentDecisions } from './recent-decisions.ts';
import { type Decision, schedule } from './schedule.ts';

/**
 * The clusters that released, not yet placed work has reserved, with the reserved replicas. Without
 * it the scheduler would take room that was promised to others and is not in the cluster status
 * yet.
 */
const reservedClusters = (
  { metadata, spec }: Binding,
  clusters: readonly ClusterFacts[],
): readonly ClusterFacts[] | undefined => {
  if ((spec.clusters ?? []).length > 0) return undefined;
  const reservation = reservationOf(metadata);
  if (reservation === undefined) return undefined;
  const isSet = (spec.components ?? []).length > 0;
  const reservations = clusters.flatMap((cluster) => {
    const { name } = cluster;
    if (!Object.hasOwn(reservation.clusters, name)) return [];
    return [{ ...cluster, keptReplicas: isSet ? 1 : (reservation.clusters[name] ?? 0) }];
  });
  return reservations.length === 0 ? undefined : reservations;
};

/**
 * The decision about a binding: in the room that its queue reserves for it, if that still suits; otherwise anywhere.
 */
export const decideOn = (
  binding: Binding,
  world: PlacementWorld,
  recent: RecentDecisions,
): Decision => {
  const { metadata, spec, status = {} } = binding;
  const dataPlacement = carriedPlacement(metadata);
  const reservations = reservedClusters(binding, world.clusters);
  const first =
    reservations && schedule(spec, status, { ...world, clusters: reservations }, dataPlacement);
  return first?.outcome.kind === 'placed'
    ? first
    : recent.decide(spec, status, world, dataPlacement);
};
