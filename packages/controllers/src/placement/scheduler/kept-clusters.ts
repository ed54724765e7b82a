import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { ClusterFacts } from '@perigee/scheduling/placement/scheduler/cluster-facts';
import { reservationOf } from '@perigee/scheduling/queues/queue-marks';

/**
 * The clusters in which a queue kept room for work when it let it through: what was let through in the same moment was
 * promised other room, which the clusters do not report yet. Nothing for work that has a place already.
 */
export const keptFor = (
  { metadata, spec }: Binding,
  clusters: readonly ClusterFacts[],
): readonly ClusterFacts[] | undefined => {
  if ((spec.clusters ?? []).length > 0) return undefined;
  const kept = reservationOf(metadata)?.clusters ?? {};
  const found = clusters.filter(({ name }) => Object.hasOwn(kept, name));
  return found.length === 0 ? undefined : found;
};
