import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { type EvictionCause, evictCluster, placedOf } from '../placement/failover/evict-cluster.ts';
import { RESERVED } from './queue-marks.ts';

/** How long a member may take to let go of work: then the task that asks it to has had its time. */
const LEAVES_WITHIN_SECONDS = 30;

/**
 * The change that takes all of some work back into its line: it leaves its clusters, with the grace that its pods have
 * there, and the admission holds what has no reservation.
 */
export const preemptPatch = (
  { metadata: { resourceVersion }, spec }: ResourceBinding,
  message: string,
): object => {
  const cause: EvictionCause = {
    reason: 'Preempted',
    message,
    producer: 'Dispatcher',
    // It may begin elsewhere only after it has ended here.
    purgeMode: 'Directly',
    gracePeriodSeconds: LEAVES_WITHIN_SECONDS,
  };
  const left = (spec.clusters ?? []).reduce(
    (placed, { name }) => evictCluster(placed, name, cause),
    placedOf(spec),
  );
  return {
    metadata: { resourceVersion, annotations: { [RESERVED]: null } },
    spec: { clusters: null, gracefulEvictionTasks: left.gracefulEvictionTasks },
  };
};
