import type { Placement } from '@perigee/api/kinds/placement/placement';
import type { SpreadConstraint } from '@perigee/api/kinds/placement/spread-constraints';
import { labelValue } from '@perigee/api/values/label-requirement';
import { present } from '@perigee/schema/present';
import type { Candidate } from '../../placement/scheduler/candidate.ts';
import { ignoresSpread } from '../../placement/scheduler/division-strategy.ts';

/** The spread field of work, and the number of its groups. */
export interface SpreadGroups {
  /** `region`, `cluster`, or `label tier`. */
  readonly by: string;
  readonly min: number;
  /** Absent without a maximum. */
  readonly max?: number;
  readonly names: readonly { readonly name: string; readonly clusters: readonly string[] }[];
}

const groupName = (
  { spreadByField, spreadByLabel }: SpreadConstraint,
  { cluster, name }: Candidate,
): string => {
  if (spreadByLabel) return labelValue(cluster.labels, spreadByLabel) ?? '';
  return spreadByField === 'region' ? cluster.region : name;
};

/** The number of groups that a constraint makes of clusters. */
export const countGroups = (
  constraint: SpreadConstraint,
  candidates: readonly Candidate[],
): number => {
  const names = new Set(candidates.map((candidate) => groupName(constraint, candidate)));
  names.delete('');
  return names.size;
};

/** The groups of the clusters that passed the filters; undefined for work that is not spread. */
export const spreadGroups = (
  { spreadConstraints = [], replicaScheduling }: Placement,
  candidates: readonly Candidate[],
): SpreadGroups | undefined => {
  if (spreadConstraints.length === 0 || ignoresSpread(replicaScheduling)) return undefined;
  const constraint =
    spreadConstraints.find((one) => one.spreadByLabel || one.spreadByField === 'region') ??
    spreadConstraints[0];
  if (constraint === undefined) return undefined;
  const groups = Map.groupBy(candidates, (candidate) => groupName(constraint, candidate));
  const max = Number(constraint.maxGroups ?? 0);
  return {
    by: constraint.spreadByLabel
      ? `label ${constraint.spreadByLabel}`
      : (constraint.spreadByField ?? 'cluster'),
    min: Number(constraint.minGroups ?? 0) || 1,
    ...present({ max: max > 0 ? max : undefined }),
    names: [...groups]
      .filter(([name]) => name !== '')
      .map(([name, members]) => ({ name, clusters: members.map((one) => one.name) })),
  };
};
