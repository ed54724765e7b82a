import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { present } from '@perigee/schema/present';
import { taintText } from '../../clusters/tolerations.ts';
import { isFinished } from '../../interpreter/completion-checks.ts';
import { evictCluster, type PlacementFields, placedOf } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';
import { toleranceOf } from './tolerance.ts';

export type PurgeMode = 'Directly' | 'Gracefully';

/** A binding, and the placement that the scheduler last applied. */
export interface PlacedBinding {
  readonly spec: BindingSpec;
  readonly status?: BindingStatus;
  readonly appliedPlacement: Placement;
}

export interface TaintEviction {
  readonly from: readonly string[];
  readonly placement: PlacementFields;
}

export interface TaintJudgement {
  /** The binding after the evictions; absent without any. */
  readonly evicted?: TaintEviction;
  /** The time until the next toleration ends; absent if none is limited. */
  readonly nextMs?: number;
}

/**
 * Finds the clusters that work must leave because of taints. The applied placement decides, not the
 * current policy, which the scheduler has not processed yet.
 */
export const judgeTaints = (
  { spec, status, appliedPlacement }: PlacedBinding,
  taintsOf: (cluster: string) => readonly ClusterTaint[],
  { nowMs, purgeMode }: { readonly nowMs: number; readonly purgeMode: PurgeMode },
): TaintJudgement => {
  const tolerations = appliedPlacement.clusterTolerations ?? [];
  const before = (spec.clusters ?? []).map(({ name }) => name);
  const from: string[] = [];
  let placement = placedOf(spec);
  let nextMs = Infinity;
  const statusOn = (cluster: string): unknown =>
    status?.aggregatedStatus?.find(({ clusterName }) => clusterName === cluster)?.status;
  for (const name of before) {
    // Finished work would restart elsewhere, and again with the next taint.
    if (isFinished(spec.resource, statusOn(name))) continue;
    const tolerance = toleranceOf(taintsOf(name), tolerations, nowMs);
    if (tolerance.kind === 'for-now') nextMs = Math.min(nextMs, tolerance.forMs);
    if (tolerance.kind !== 'none') continue;
    const state = preservedState(spec.failover?.cluster?.statePreservation, status, name);
    placement = evictCluster(placement, name, {
      purgeMode: spec.failover?.cluster?.purgeMode ?? purgeMode,
      reason: 'TaintUntolerated',
      message: `the taint ${taintText(tolerance.taint)} of the cluster is not, or no longer, tolerated`,
      producer: 'TaintManager',
      ...(state === undefined
        ? {}
        : { preservedLabelState: state, clustersBeforeFailover: before }),
    });
    from.push(name);
  }
  return {
    ...present({
      evicted: from.length === 0 ? undefined : { from, placement },
      nextMs: nextMs === Infinity ? undefined : nextMs,
    }),
  };
};
