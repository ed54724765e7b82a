import { carriedPlacement } from '../../data/carried-placement.ts';
import { reservedClusters } from '../../queues/reserved-clusters.ts';
import type { Binding } from '../binding/binding.ts';
import type { PlacementWorld } from './place.ts';
import type { RecentDecisions } from './recent-decisions.ts';
import { type Decision, schedule } from './schedule.ts';

/**
 * The decision about a binding: in the room that its queue reserves for it, if that still suits; otherwise anywhere.
 */
export const decideOn = (
  binding: Binding,
  world: PlacementWorld,
  recent: RecentDecisions,
): Decision => {
  const { metadata, spec, status = {} } = binding;
  const carried = carriedPlacement(metadata);
  const reservations = reservedClusters(binding, world.clusters);
  const first =
    reservations && schedule(spec, status, { ...world, clusters: reservations }, carried);
  return first?.outcome.kind === 'placed' ? first : recent.decide(spec, status, world, carried);
};
