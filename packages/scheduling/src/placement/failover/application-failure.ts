import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { FailoverBehavior } from '@perigee/api/kinds/placement/failover';
import type { EvictionCause } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';

/** Since when the work is unhealthy, by cluster, in milliseconds since the epoch. */
export type UnhealthySince = ReadonlyMap<string, number>;

export interface FailureJudgement {
  /** What to remember; the clusters where the work is unhealthy, tolerated for now. */
  readonly since: UnhealthySince;
  /** The clusters where it was unhealthy for too long. */
  readonly failed: readonly string[];
  /** When the next of them will have been; absent when there is none. */
  readonly nextMs?: number;
}

/**
 * Where work has been unhealthy for longer than it is tolerated. Whatever else is said of its health, also
 * that nobody knows, makes the time begin anew; a cluster that it leaves already is not counted.
 */
export const judgeFailure = (
  spec: Pick<BindingSpec, 'clusters' | 'gracefulEvictionTasks'>,
  status: Pick<BindingStatus, 'aggregatedStatus'>,
  known: UnhealthySince,
  { nowMs, tolerationSeconds }: { readonly nowMs: number; readonly tolerationSeconds: number },
): FailureJudgement => {
  const targets = new Set((spec.clusters ?? []).map(({ name }) => name));
  for (const { fromCluster } of spec.gracefulEvictionTasks ?? []) targets.delete(fromCluster);
  const since = new Map<string, number>();
  const failed: string[] = [];
  let nextMs = Infinity;
  for (const { clusterName, health } of status.aggregatedStatus ?? []) {
    if (health !== 'Unhealthy' || !targets.has(clusterName)) continue;
    const sinceMs = known.get(clusterName) ?? nowMs;
    const leftMs = sinceMs + tolerationSeconds * 1000 - nowMs;
    if (leftMs <= 0) failed.push(clusterName);
    else {
      since.set(clusterName, sinceMs);
      nextMs = Math.min(nextMs, leftMs);
    }
  }
  return { since, failed, ...(nextMs === Infinity ? {} : { nextMs }) };
};

type ApplicationFailover = NonNullable<FailoverBehavior['application']>;

/** What the eviction of failed work says, as its policy wants it. */
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
    ...(purgeMode === 'Gracefully' && gracePeriodSeconds !== undefined
      ? { gracePeriodSeconds }
      : {}),
    ...(purgeMode === 'Never' ? { suppressDeletion: true } : {}),
    ...(state === undefined
      ? {}
      : {
          preservedLabelState: state,
          clustersBeforeFailover: (spec.clusters ?? []).map(({ name }) => name),
        }),
  };
};
