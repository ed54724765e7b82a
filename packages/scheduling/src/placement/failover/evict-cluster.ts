import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { GracefulEvictionTask } from '@perigee/api/kinds/placement/graceful-eviction-task';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { EvictionReason } from '@perigee/api/reasons/eviction-reasons';
import { present } from '@perigee/schema/present';

/** An eviction task without cluster and replicas. */
export type EvictionCause = Omit<
  GracefulEvictionTask,
  'fromCluster' | 'replicas' | 'creationTimestamp'
> & { readonly reason: EvictionReason };

/** The fields of a binding that an eviction changes. */
export interface PlacementFields {
  readonly clusters: readonly TargetCluster[];
  readonly gracefulEvictionTasks: readonly GracefulEvictionTask[];
}

export const placedOf = ({ clusters, gracefulEvictionTasks }: BindingSpec): PlacementFields => ({
  clusters: clusters ?? [],
  gracefulEvictionTasks: gracefulEvictionTasks ?? [],
});

/**
 * Moves a target to the eviction tasks. Returns the same object if the work is not on that cluster.
 * An existing task stays as it is.
 */
export const evictCluster = (
  placement: PlacementFields,
  name: string,
  cause: EvictionCause,
): PlacementFields => {
  const target = placement.clusters.find((cluster) => cluster.name === name);
  if (target === undefined) return placement;
  const clusters = placement.clusters.filter((cluster) => cluster !== target);
  const { gracefulEvictionTasks } = placement;
  if (gracefulEvictionTasks.some(({ fromCluster }) => fromCluster === name)) {
    return { clusters, gracefulEvictionTasks };
  }
  const { replicas = 0 } = target;
  const task = {
    fromCluster: name,
    ...cause,
    ...present({ replicas: replicas > 0 ? replicas : undefined }),
  };
  return { clusters, gracefulEvictionTasks: [...gracefulEvictionTasks, task] };
};
