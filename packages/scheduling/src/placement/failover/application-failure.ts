import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { FailoverBehavior } from '@perigee/api/kinds/placement/failover';
import { present } from '@perigee/schema/present';
import type { EvictionCause } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';

/** By cluster, the time at which the work became unhealthy, in epoch milliseconds. */
export type UnhealthySince = ReadonlyMap<string, number>;

export interface FailureJudgement {
  /** State to keep: unhealthy clusters within the toleration. */
  readonly since: UnhealthySince;
  /** Clusters where it was unhealthy for longer than tolerated. */
  readonly failedClusters: readonly string[];
  /** The time until the next toleration ends; absent if none runs. */
  readonly nextMs?: number;
}

/**
 * Finds clusters where the work has been unhealthy for longer than tolerated. Any other health,
 * also unknown, restarts the timer. Clusters with an eviction task are ignored.
 */
export const judgeFailure = (
  spec: Pick<BindingSpec, 'clusters' | 'gracefulEvictionTasks'>,
  status: Pick<BindingStatus, 'aggregatedStatus'>,
  lastSince: UnhealthySince,
  { nowMs, tolerationSeconds }: { readonly nowMs: number; readonly tolerationSeconds: number },
): FailureJudgement => {
  const targets = new Set((spec.clusters ?? []).map(({ name }) => name));
  for (const { fromCluster } of spec.gracefulEvictionTasks ?? []) targets.delete(fromCluster);
  const since = new Map<string, number>();
  const failures: string[] = [];
  let nextMs = Infinity;
  for (const { clusterName, health } of status.aggregatedStatus ?? []) {
    if (health !== 'Unhealthy' || !targets.has(clusterName)) continue;
    const sinceMs = lastSince.get(clusterName) ?? nowMs;
    const leftMs = sinceMs + tolerationSeconds * 1000 - nowMs;
    if (leftMs <= 0) failures.push(clusterName);
    else {
      since.set(clusterName, sinceMs);
      nextMs = Math.min(nextMs, leftMs);
    }
  }
  return {
    since,
    failedClusters: failures,
    ...present({ nextMs: nextMs === Infinity ? undefined : nextMs }),
  };
};

type ApplicationFailover = NonNullable<FailoverBehavior['application']>;

/** The eviction cause of failed work, from its policy. */
export const failureCause = (
  { purgeMode, gracePeriodSeconds, statePreservation }: ApplicationFailover,
  { spec, status }: { readonly spec: BindingSpec; readonly status: BindingStatus },
  cluster: string,
  producer: string,
): EvictionCause => {
  const state = preservedState(statePreservation, status, cluster);
  return {
    purgeMode,
    reason: 'ApplicationFailure',
    producer,
    ...present({
      gracePeriodSeconds: purgeMode === 'Gracefully' ? gracePeriodSeconds : undefined,
      suppressDeletion: purgeMode === 'Never' || undefined,
    }),
    ...(state === undefined
      ? {}
      : {
          preservedLabelState: state,
          clustersBeforeFailover: (spec.clusters ?? []).map(({ name }) => name),
        }),
  };
};
