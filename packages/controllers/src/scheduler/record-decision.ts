import { isDeepStrictEqual } from 'node:util';
import type { BindingStatus } from '@perigee/api/kinds/karmada/binding-status';
import type { TargetCluster } from '@perigee/api/kinds/karmada/target-cluster';
import { setCondition } from '@perigee/api/values/conditions';
import { formatTime } from '@perigee/api/values/time';
import type { Outcome } from '@perigee/scheduling/placement/outcome';
import type { Decision } from '@perigee/scheduling/placement/schedule';
import { APPLIED_PLACEMENT, type Binding } from './binding.ts';

const SUCCESS = 'Binding has been scheduled successfully.';

const SCHEDULED = {
  type: 'Scheduled',
  status: 'True',
  reason: 'Success',
  message: SUCCESS,
} as const;

const byName = (a: TargetCluster, b: TargetCluster): number => (a.name < b.name ? -1 : 1);

const sorted = (clusters: readonly TargetCluster[] | undefined): readonly TargetCluster[] =>
  (clusters ?? []).toSorted(byName);

/** Where the work goes now. What no cluster fits goes nowhere; what only lacks room stays where it is. */
const clustersAfter = (outcome: Outcome, { spec }: Binding): readonly TargetCluster[] => {
  if (outcome.kind === 'placed') return sorted(outcome.clusters);
  return outcome.reason === 'NoClusterFit' ? [] : sorted(spec.clusters);
};

/** The change of the binding that a decision makes; absent when it makes none. */
export const bindingPatch = (binding: Binding, { outcome }: Decision): object | undefined => {
  const { metadata, spec } = binding;
  if (outcome.kind === 'refused' && outcome.reason !== 'NoClusterFit') return undefined;
  const clusters = clustersAfter(outcome, binding);
  const placement = JSON.stringify(spec.placement);
  const isSame = isDeepStrictEqual(clusters, sorted(spec.clusters));
  if (isSame && metadata.annotations?.[APPLIED_PLACEMENT] === placement) return undefined;
  return {
    metadata: {
      resourceVersion: metadata.resourceVersion,
      annotations: { [APPLIED_PLACEMENT]: placement },
    },
    ...(isSame ? {} : { spec: { clusters: clusters.length === 0 ? null : clusters } }),
  };
};

/**
 * The status after a decision about this generation. A decision that only confirms the one before does not
 * count as a new one.
 */
export const statusAfter = (
  status: BindingStatus,
  generation: number,
  { outcome, affinityName }: Decision,
  { isConfirmed, nowMs }: { readonly isConfirmed: boolean; readonly nowMs: number },
): BindingStatus => {
  const isPlaced = outcome.kind === 'placed';
  const conditions = setCondition(
    status.conditions,
    isPlaced
      ? SCHEDULED
      : { type: 'Scheduled', status: 'False', reason: outcome.reason, message: outcome.message },
    nowMs,
  );
  const isOld =
    isConfirmed &&
    conditions === status.conditions &&
    status.schedulerObservedGeneration === generation;
  return {
    ...status,
    conditions,
    ...(isPlaced && !isOld
      ? { schedulerObservedGeneration: generation, lastScheduledTime: formatTime(nowMs) }
      : {}),
    ...(affinityName === undefined ? {} : { schedulerObservingAffinityName: affinityName }),
  };
};

/** What Events tell about a decision. */
export const decisionMessage = ({ outcome }: Decision): string => {
  if (outcome.kind === 'refused') return outcome.message;
  const shares = sorted(outcome.clusters).map(({ name, replicas = 0 }) => `${name}:${replicas}`);
  return `${SUCCESS} Result: {${shares.join(', ')}}`;
};
