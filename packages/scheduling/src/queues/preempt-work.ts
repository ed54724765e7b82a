import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { RESERVED } from '../placement/binding/queue-marks.ts';
import { type EvictionCause, evictCluster, placedOf } from '../placement/failover/evict-cluster.ts';

/** Upper bound for a member to stop the evicted work: then the graceful eviction task times out. */
const LEAVES_WITHIN_SECONDS = 30;

/**
 * Patch that requeues evicted work: it leaves its clusters with the grace period of its pods, and
 * the admission holds it because the reservation is gone.
 */
export const preemptPatch = (
  { metadata: { resourceVersion }, spec }: ResourceBinding,
  message: string,
): object => {
  const cause: EvictionCause = {
    reason: 'Preempted',
    message,
    producer: 'Dispatcher',
    // It may start elsewhere only after it has stopped here.
    purgeMode: 'Directly',
    gracePeriodSeconds: LEAVES_WITHIN_SECONDS,
  };
  const placement = (spec.clusters ?? []).reduce(
    (placement, { name }) => evictCluster(placement, name, cause),
    placedOf(spec),
  );
  return {
    metadata: { resourceVersion, annotations: { [RESERVED]: null } },
    spec: { clusters: null, gracefulEvictionTasks: placement.gracefulEvictionTasks },
  };
};
