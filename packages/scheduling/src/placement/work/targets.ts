import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { stayingReplicas } from '../failover/leave-behind.ts';

/**
 * The clusters that must have a resource: its own targets, and those of the bindings that require
 * it.
 */
export const targetsOf = ({
  clusters = [],
  requiredBy = [],
}: BindingSpec): readonly TargetCluster[] => {
  const targets = new Map<string, TargetCluster>();
  for (const target of [...clusters, ...requiredBy.flatMap((binding) => binding.clusters ?? [])]) {
    if (!targets.has(target.name)) targets.set(target.name, target);
  }
  return [...targets.values()];
};

/**
 * The current replicas by cluster: the targets, plus old replicas that wait for new ones elsewhere.
 */
export const presentTargets = (spec: BindingSpec): readonly TargetCluster[] => {
  const stays = stayingReplicas(spec);
  const targets = targetsOf(spec);
  if (stays.size === 0) return targets;
  return targets.map((target) => {
    const more = stays.get(target.name);
    return more === undefined ? target : { ...target, replicas: (target.replicas ?? 0) + more };
  });
};

/** The clusters that may have a resource: targets, and graceful evictions in progress. */
export const expectedClusters = (spec: BindingSpec): ReadonlySet<string> =>
  new Set([
    ...targetsOf(spec).map(({ name }) => name),
    ...(spec.gracefulEvictionTasks ?? [])
      .filter(({ purgeMode }) => purgeMode !== 'Directly')
      .map(({ fromCluster }) => fromCluster),
  ]);

/** Clusters that the work must have left before it may start elsewhere. */
export const purgedFirst = ({ gracefulEvictionTasks = [] }: BindingSpec): ReadonlySet<string> =>
  new Set(
    gracefulEvictionTasks
      .filter(({ purgeMode }) => purgeMode === 'Directly')
      .map(({ fromCluster }) => fromCluster),
  );

/** True if dispatching to the cluster is suspended. */
export const isHeldBack = ({ suspension }: BindingSpec, cluster: string): boolean =>
  suspension?.dispatching === true ||
  (suspension?.dispatchingOnClusters?.clusterNames ?? []).includes(cluster);
