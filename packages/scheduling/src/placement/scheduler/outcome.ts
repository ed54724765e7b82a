import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { Candidate } from './candidate.ts';
import type { Refusal } from './filter.ts';

/** A cluster that a filter refused. */
export interface Verdict extends Refusal {
  readonly cluster: string;
}

/** The reasoning of a decision, for people. */
export interface Reasoning {
  readonly affinityName?: string;
  readonly refused: readonly Verdict[];
  /** Ranked, the best first. */
  readonly candidates: readonly Candidate[];
  /** The points of each score, by cluster. */
  readonly scores: { readonly [score: string]: { readonly [cluster: string]: number } };
  readonly selected: readonly string[];
}

/** The reasons why work has no clusters. */
export type PlacementProblem = 'NoClusterFit' | 'Unschedulable';

/** The reason for refusing a cluster without the data. */
export const DATA_NOT_THERE = 'DataNotThere';

export type Outcome =
  | {
      readonly kind: 'placed';
      readonly clusters: readonly TargetCluster[];
      readonly reasoning: Reasoning;
    }
  | {
      readonly kind: 'refused';
      readonly reason: PlacementProblem;
      readonly message: string;
      readonly reasoning: Reasoning;
    };

/** True if no cluster is usable, even if only its data is missing. */
export const fitsNowhere = (outcome: Outcome): boolean =>
  outcome.kind === 'refused' &&
  (outcome.reason === 'NoClusterFit' || lacksData(outcome.reasoning.refused));

/** True if the only obstacle of the otherwise allowed clusters is missing data. */
export const lacksData = (refusals: readonly Verdict[]): boolean =>
  refusals.some(({ reason }) => reason === DATA_NOT_THERE) &&
  refusals.every(({ reason }) => reason === DATA_NOT_THERE || reason === 'AffinityMismatch');

/** The counts of refusals by message, in upstream's words. */
export const fitMessage = (clusters: number, refusals: readonly Verdict[]): string => {
  const start = `0/${clusters} clusters are available: `;
  if (refusals.length === 0) return `${start}no cluster exists.`;
  const counts = Map.groupBy(refusals, ({ message }) => message);
  const reasons = [...counts].map(([message, same]) => `${same.length} ${message}`).sort();
  return `${start}${reasons.join(', ')}.`;
};
