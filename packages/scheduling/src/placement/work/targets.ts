import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { stayingReplicas } from '../failover/leave-behind.ts';

/** Where a resource has to be: where it was scheduled to, and wherever work needs it. */
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

/** How much of it each cluster gets for now: its share, and the old replicas that wait for new ones elsewhere. */
export const presentTargets = (spec: BindingSpec): readonly TargetCluster[] => {
  const staying = stayingReplicas(spec);
  const targets = targetsOf(spec);
  if (staying.size === 0) return targets;
  return targets.map((target) => {
    const more = staying.get(target.name);
    return more === undefined ? target : { ...target, replicas: (target.replicas ?? 0) + more };
  });
};

/** Where a resource may be: where it has to be, and where it stays until its replacement is there. */
export const expectedClusters = (spec: BindingSpec): ReadonlySet<string> =>
  new Set([
    ...targetsOf(spec).map(({ name }) => name),
    ...(spec.gracefulEvictionTasks ?? [])
      .filter(({ purgeMode }) => purgeMode !== 'Directly')
      .map(({ fromCluster }) => fromCluster),
  ]);

/** What must have left its old cluster before it may start elsewhere. */
export const purgedFirst = ({ gracefulEvictionTasks = [] }: BindingSpec): ReadonlySet<string> =>
  new Set(
    gracefulEvictionTasks
      .filter(({ purgeMode }) => purgeMode === 'Directly')
      .map(({ fromCluster }) => fromCluster),
  );

/** Whether nothing is to be sent to a cluster for now. */
export const isHeldBack = ({ suspension }: BindingSpec, cluster: string): boolean =>
  suspension?.dispatching === true ||
  (suspension?.dispatchingOnClusters?.clusterNames ?? []).includes(cluster);
