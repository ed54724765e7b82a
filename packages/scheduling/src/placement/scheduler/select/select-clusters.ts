import type { SpreadConstraint } from '@perigee/api/kinds/placement/spread-constraints';
import { labelValue } from '@perigee/api/values/label-requirement';
import type { Candidate } from '../candidate.ts';
import { ignoresSpread } from '../division-strategy.ts';
import type { PlacementRequest } from '../placement-request.ts';
import { selectByGroup } from './select-by-group.ts';
import { selectByRoom } from './select-by-room.ts';

/** The selected candidates, or the reason why there are too few. */
export type Selection = { readonly selection: readonly Candidate[] } | { readonly problem: string };

/** The allowed number of clusters. Without a maximum it is unlimited; upstream takes it for zero. */
export interface Limits {
  readonly min: number;
  readonly max: number;
}

const limitsOf = ({ minGroups, maxGroups }: SpreadConstraint): Limits => ({
  min: Number(minGroups ?? 0) || 1,
  max: Number(maxGroups ?? 0) || Number.POSITIVE_INFINITY,
});

const NO_LIMITS: Limits = { min: 0, max: Number.POSITIVE_INFINITY };

const groupOf = ({ spreadByField, spreadByLabel }: SpreadConstraint) => {
  if (spreadByField === 'region') return ({ cluster }: Candidate): string => cluster.region;
  return spreadByLabel
    ? ({ cluster }: Candidate): string => labelValue(cluster.labels, spreadByLabel) ?? ''
    : undefined;
};

/** Selects candidates, which are ranked, by the spread constraints. */
export const selectClusters = (
  request: PlacementRequest,
  candidates: readonly Candidate[],
): Selection => {
  const { spreadConstraints = [], replicaScheduling } = request.placement;
  if (spreadConstraints.length === 0 || ignoresSpread(replicaScheduling)) {
    return { selection: candidates };
  }
  const byCluster = spreadConstraints.find(({ spreadByField }) => spreadByField === 'cluster');
  const clusters = byCluster === undefined ? NO_LIMITS : limitsOf(byCluster);
  for (const constraint of spreadConstraints) {
    const groupName = groupOf(constraint);
    if (groupName === undefined) continue;
    return selectByGroup(request, candidates, {
      groupName,
      groups: limitsOf(constraint),
      clusters,
      what: constraint.spreadByField ?? `label ${constraint.spreadByLabel}`,
    });
  }
  if (byCluster === undefined) {
    return { problem: 'just support cluster and region spread constraint' };
  }
  return selectByRoom(request, candidates, clusters);
};
