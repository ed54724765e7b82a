import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import { evictCluster, placedOf } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';

/**
 * The eviction tasks of work that was placed anew because a cluster of its is to go: its old copy there
 * stays until the new ones are healthy. The very same when nothing leaves. Throws an `EvictionError` for
 * work that takes state along which nobody knows.
 */
export const leaveGoing = (
  spec: BindingSpec,
  status: BindingStatus | undefined,
  next: readonly string[],
  isGoing: (cluster: string) => boolean,
): readonly GracefulEvictionTask[] => {
  const before = (spec.clusters ?? []).map(({ name }) => name);
  const left = before.filter((name) => isGoing(name) && !next.includes(name));
  const { cluster: wishes } = spec.failover ?? {};
  return left.reduce((placed, name) => {
    const state = preservedState(wishes?.statePreservation, status, name);
    return evictCluster(placed, name, {
      purgeMode: wishes?.purgeMode ?? 'Gracefully',
      reason: 'ClusterRemoved',
      message: 'the cluster is being removed',
      producer: 'ClusterDrain',
      ...(state === undefined
        ? {}
        : { preservedLabelState: state, clustersBeforeFailover: before }),
    });
  }, placedOf(spec)).gracefulEvictionTasks;
};
