import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { isFinished } from '../../interpreter/finished.ts';
import { taintText } from '../scheduler/filters/taint-toleration.ts';
import { evictCluster, type Placed, placedOf } from './evict-cluster.ts';
import { preservedState } from './preserved-state.ts';
import { toleranceOf } from './tolerance.ts';

export type PurgeMode = 'Directly' | 'Gracefully';

/** A binding, and the placement by which the scheduler last decided. */
export interface PlacedBinding {
  readonly spec: BindingSpec;
  readonly status?: BindingStatus;
  readonly appliedPlacement: Placement;
}

export interface Evicted {
  readonly from: readonly string[];
  readonly placed: Placed;
}

export interface TaintJudgement {
  /** What becomes of the binding now; absent when nothing does. */
  readonly evicted?: Evicted;
  /** When the next toleration ends; absent when none does. */
  readonly nextMs?: number;
}

/**
 * Which clusters work has to leave because of their taints. What the scheduler applied counts, not
 * what a policy says meanwhile: the scheduler has not judged that yet.
 */
export const judgeTaints = (
  { spec, status, appliedPlacement }: PlacedBinding,
  taintsOf: (cluster: string) => readonly ClusterTaint[],
  { nowMs, purgeMode }: { readonly nowMs: number; readonly purgeMode: PurgeMode },
): TaintJudgement => {
  const tolerations = appliedPlacement.clusterTolerations ?? [];
  const before = (spec.clusters ?? []).map(({ name }) => name);
  const from: string[] = [];
  let placed = placedOf(spec);
  let nextMs = Infinity;
  const statusOn = (cluster: string): unknown =>
    status?.aggregatedStatus?.find(({ clusterName }) => clusterName === cluster)?.status;
  for (const name of before) {
    // What has run to its end would only begin again elsewhere, and again when that cluster is tainted.
    if (isFinished(spec.resource, statusOn(name))) continue;
    const tolerance = toleranceOf(taintsOf(name), tolerations, nowMs);
    if (tolerance.kind === 'for-now') nextMs = Math.min(nextMs, tolerance.forMs);
    if (tolerance.kind !== 'none') continue;
    const state = preservedState(spec.failover?.cluster?.statePreservation, status, name);
    placed = evictCluster(placed, name, {
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
    ...(from.length === 0 ? {} : { evicted: { from, placed } }),
    ...(nextMs === Infinity ? {} : { nextMs }),
  };
};
