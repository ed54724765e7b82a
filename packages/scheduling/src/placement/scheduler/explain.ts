import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { RoomSource } from './candidate.ts';
import type { DivisionStrategy } from './division-strategy.ts';
import { divisionStrategy } from './division-strategy.ts';
import type { Outcome } from './outcome.ts';
import { isDivisible } from './placement-request.ts';
import { type ClusterOf, clustersAfter } from './record-decision.ts';
import type { Decision } from './schedule.ts';

/** What was found about one cluster. */
export type ClusterVerdict =
  | {
      readonly name: string;
      readonly verdict: 'refused';
      readonly filter: string;
      readonly reason: string;
      readonly message: string;
    }
  | {
      readonly name: string;
      /** `chosen` gets work; `selected` was in the choice and got no replicas; `passed` was not needed. */
      readonly verdict: 'chosen' | 'selected' | 'passed';
      readonly replicas?: number;
      readonly score: number;
      readonly scores: { readonly [score: string]: number };
      /** How many more replicas the cluster could take. */
      readonly allocatable: number;
      /** What that was computed from; absent for what is not counted in replicas. */
      readonly roomFrom?: RoomSource;
      /** Replicas that were there before. */
      readonly previous: number;
      /** 0 for the first choice; more for groups that take what overflows. */
      readonly tier: number;
    };

/** One try: a term of the placement, or the placement as a whole. */
export interface Attempt {
  readonly affinityName?: string;
  readonly outcome: 'placed' | 'refused';
  readonly reason?: string;
  readonly message?: string;
  readonly clusters: readonly ClusterVerdict[];
}

/** A decision with all its reasons, as plain data. */
export interface Explanation {
  readonly outcome: 'placed' | 'refused';
  readonly replicas: number;
  readonly division: DivisionStrategy | 'whole';
  readonly isFresh: boolean;
  /** Where work that is refused goes on running; absent when it runs nowhere. */
  readonly stays?: readonly TargetCluster[];
  readonly attempts: readonly Attempt[];
}

const verdictsOf = (outcome: Outcome, spec: BindingSpec): readonly ClusterVerdict[] => {
  const { reasoning } = outcome;
  const targets = new Map(
    (outcome.kind === 'placed' ? outcome.clusters : []).map((target) => [target.name, target]),
  );
  const previous = new Map((spec.clusters ?? []).map(({ name, replicas = 0 }) => [name, replicas]));
  const selected = new Set(reasoning.selected);
  const passed = reasoning.candidates.map((candidate): ClusterVerdict => {
    const { name, score, allocatable, tier, from } = candidate;
    const target = targets.get(name);
    return {
      name,
      verdict: target !== undefined ? 'chosen' : selected.has(name) ? 'selected' : 'passed',
      ...(target?.replicas === undefined ? {} : { replicas: target.replicas }),
      score,
      scores: Object.fromEntries(
        Object.entries(reasoning.scores).map(([by, points]) => [by, points[name] ?? 0]),
      ),
      allocatable,
      ...(from === undefined ? {} : { roomFrom: from }),
      previous: previous.get(name) ?? 0,
      tier,
    };
  });
  const refused = reasoning.refused.map(
    ({ cluster, filter, reason, message }): ClusterVerdict => ({
      name: cluster,
      verdict: 'refused',
      filter,
      reason,
      message,
    }),
  );
  return [...passed, ...refused];
};

const attemptOf = (outcome: Outcome, spec: BindingSpec): Attempt => ({
  ...(outcome.reasoning.affinityName === undefined
    ? {}
    : { affinityName: outcome.reasoning.affinityName }),
  outcome: outcome.kind,
  ...(outcome.kind === 'refused' ? { reason: outcome.reason, message: outcome.message } : {}),
  clusters: verdictsOf(outcome, spec),
});

/** Tells how a decision came about, and what becomes of work that is refused. */
export const explain = (
  spec: BindingSpec,
  decision: Decision,
  { isFresh, clusterOf }: { readonly isFresh: boolean; readonly clusterOf: ClusterOf },
): Explanation => {
  const { replicas = 0, placement } = spec;
  const stays = decision.outcome.kind === 'refused' ? clustersAfter(decision, spec, clusterOf) : [];
  return {
    outcome: decision.outcome.kind,
    replicas,
    division: isDivisible(spec) ? divisionStrategy(placement?.replicaScheduling) : 'whole',
    isFresh,
    ...(stays.length === 0 ? {} : { stays }),
    attempts: decision.attempts.map((outcome) => attemptOf(outcome, spec)),
  };
};
