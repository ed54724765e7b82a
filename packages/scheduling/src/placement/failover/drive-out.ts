import type { ClusterTaint } from '@perigee/api/kinds/clusters/cluster-taints';
import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Placement } from '@perigee/api/kinds/placement/placement';
import { present } from '@perigee/schema/present';
import { EvictionError } from '../../errors.ts';
import { APPLIED_PLACEMENT, type Binding } from '../binding/binding.ts';
import type { ClusterFacts } from '../scheduler/cluster-facts.ts';
import type { RecentDecisions } from '../scheduler/recent-decisions.ts';
import { readPlacement } from '../scheduler/scheduling-cause.ts';
import { standardRules } from '../scheduler/standard-rules.ts';
import { whyUndecided } from '../scheduler/standing.ts';
import {
  judgeTaints,
  type PurgeMode,
  type TaintEviction,
  type TaintJudgement,
} from './taint-eviction.ts';
import { drivesOut } from './tolerance.ts';

/** The NoExecute taints of a cluster. */
export const drivingTaints = (cluster: MemberCluster | undefined): readonly ClusterTaint[] =>
  (cluster?.spec.taints ?? []).filter(drivesOut);

const appliedPlacementOf = ({ metadata }: Binding): Placement | undefined => {
  const text = metadata.annotations?.[APPLIED_PLACEMENT];
  if (!text) return undefined;
  const placement = readPlacement(text);
  if (placement !== undefined) return placement;
  throw new EvictionError(
    `the annotation ${APPLIED_PLACEMENT} is not a placement as JSON; remove it, so that the scheduler writes it anew`,
  );
};

/**
 * Finds the clusters that a binding must leave now because of taints. Throws an `EvictionError` for
 * work that cannot be evicted.
 */
export const drivenOut = (
  binding: Binding,
  clusterOf: (name: string) => MemberCluster | undefined,
  moment: { readonly nowMs: number; readonly purgeMode: PurgeMode },
): TaintJudgement => {
  const { metadata, spec, status } = binding;
  if (metadata.deletionTimestamp !== undefined) return {};
  const taintsOf = (name: string) => drivingTaints(clusterOf(name));
  if (!(spec.clusters ?? []).some(({ name }) => taintsOf(name).length > 0)) return {};
  const appliedPlacement = appliedPlacementOf(binding);
  // No scheduler has decided yet: the tolerations are unknown.
  if (appliedPlacement === undefined) return {};
  const placement = { spec, appliedPlacement, ...present({ status }) };
  return judgeTaints(placement, taintsOf, moment);
};

/**
 * The reason to keep work because nothing would replace what an eviction ends; undefined if it runs
 * elsewhere or would fit.
 */
export const whyStay = (
  binding: Binding,
  { placement }: TaintEviction,
  clusters: readonly ClusterFacts[],
  recent: RecentDecisions,
): string | undefined => {
  const undecided = whyUndecided(binding);
  if (undecided !== undefined) return `nobody would place it elsewhere: ${undecided}`;
  if (placement.clusters.length > 0) return undefined;
  const { spec, status = {} } = binding;
  const world = { clusters, rules: standardRules };
  const { outcome } = recent.decide({ ...spec, ...placement }, status, world);
  return outcome.kind === 'refused' ? `no other cluster takes it: ${outcome.message}` : undefined;
};
