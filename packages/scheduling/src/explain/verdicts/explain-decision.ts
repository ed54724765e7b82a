import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { present, unlessEmpty } from '@perigee/schema/present';
import type { CarriedPlacement } from '../../data/carried-placement.ts';
import type { Candidate, RoomSource } from '../../placement/scheduler/candidate.ts';
import type { DivisionStrategy } from '../../placement/scheduler/division-strategy.ts';
import { divisionStrategy } from '../../placement/scheduler/division-strategy.ts';
import { estimatePods } from '../../placement/scheduler/estimate/estimate-pods.ts';
import { estimateSets } from '../../placement/scheduler/estimate/estimate-sets.ts';
import type { Outcome } from '../../placement/scheduler/outcome.ts';
import type { PlacementWorld } from '../../placement/scheduler/place.ts';
import {
  isDivisible,
  type PlacementRequest,
  placementRequest,
} from '../../placement/scheduler/placement-request.ts';
import { type ClusterOf, clustersAfter } from '../../placement/scheduler/record-decision.ts';
import type { Decision } from '../../placement/scheduler/schedule.ts';
import { type Choice, choiceOf } from './choice.ts';
import { shortageOf } from './shortage-text.ts';
import { type SpecificRefusal, specificRefusal } from './specific-refusal.ts';
import { type SpreadGroups, spreadGroups } from './spread-groups.ts';

/** The reported room of a cluster, if it differs from the count of its nodes. */
interface RoomFacts {
  readonly counted: number;
  readonly reported: number;
  /** The source of the report: grades of the resource model, or sums over all nodes. */
  readonly by: 'grades' | 'sums';
}

/** The verdict on one cluster. */
export type ClusterVerdict =
  | {
      readonly name: string;
      readonly verdict: 'refused';
      readonly filter: string;
      readonly reason: string;
      /** Upstream's message, by which refusals are counted. */
      readonly message: string;
      /** The deciding term, with the requested and the present values. */
      readonly specific?: SpecificRefusal;
    }
  | {
      readonly name: string;
      /** `chosen` gets work; `selected` was divided among and got no replicas; `passed` was not needed. */
      readonly verdict: 'chosen' | 'selected' | 'passed';
      readonly replicas?: number;
      readonly score: number;
      readonly scores: { readonly [score: string]: number };
      /** The number of additional replicas that fit. */
      readonly allocatable: number;
      /** The basis of that number; absent for work without replicas. */
      readonly roomFrom?: RoomSource;
      /** Other estimates of the room, if they differ. */
      readonly room?: RoomFacts;
      /** Replicas before the decision. */
      readonly previous: number;
      /** 0 for the first choice; more for overflow groups. */
      readonly tier: number;
    };

/** One attempt: with a term of the placement, or the placement as a whole. */
export interface Attempt {
  readonly affinityName?: string;
  readonly outcome: 'placed' | 'refused';
  readonly reason?: string;
  readonly message?: string;
  /** The shortage of an attempt that failed for lack of room. */
  readonly shortage?: string;
  /** The spread field of the work, and the required number of groups. */
  readonly groups?: SpreadGroups;
  /** The reason why the last chosen cluster ranks before the first unused one. */
  readonly choice?: Choice;
  readonly clusters: readonly ClusterVerdict[];
}

/** A decision with all its reasons, as plain data. */
export interface Explanation {
  readonly outcome: 'placed' | 'refused';
  readonly replicas: number;
  readonly division: DivisionStrategy | 'whole';
  readonly isFresh: boolean;
  /** The present clusters, where refused work keeps running; absent when it runs nowhere. */
  readonly stays?: readonly TargetCluster[];
  readonly attempts: readonly Attempt[];
}

/** The inputs of an explanation, beside the decision. */
export interface ExplainedWorld {
  readonly isFresh: boolean;
  readonly clusterOf: ClusterOf;
  readonly status: BindingStatus;
  readonly world: PlacementWorld;
  readonly dataPlacement?: CarriedPlacement;
}

interface AttemptInput {
  readonly spec: BindingSpec;
  readonly request: PlacementRequest;
  readonly world: PlacementWorld;
}

const ANY_NUMBER = 2 ** 31 - 1;

/** The count of the nodes takes precedence. If the two differ, both are shown. */
const roomFacts = (
  { set, shape }: PlacementRequest,
  { cluster, from, allocatable }: Candidate,
): { readonly room?: RoomFacts } => {
  const { capacity } = cluster;
  if (from !== 'nodes' || capacity === undefined) return {};
  const reportedPods =
    set === undefined ? estimatePods(capacity, shape) : estimateSets(capacity, set, ANY_NUMBER);
  if (reportedPods === allocatable) return {};
  const by = capacity.grades.length > 0 ? 'grades' : 'sums';
  return { room: { counted: allocatable, reported: reportedPods, by } };
};

const verdictsOf = (
  outcome: Outcome,
  { spec, request, world }: AttemptInput,
): readonly ClusterVerdict[] => {
  const { reasoning } = outcome;
  const facts = new Map(world.clusters.map((cluster) => [cluster.name, cluster]));
  const targets = new Map(
    (outcome.kind === 'placed' ? outcome.clusters : []).map((target) => [target.name, target]),
  );
  const previous = new Map((spec.clusters ?? []).map(({ name, replicas = 0 }) => [name, replicas]));
  const selectedNames = new Set(reasoning.selected);
  // Of other work, the scheduler counts pods without their requests, which says nothing.
  const isCounted = isDivisible(spec) || request.set !== undefined;
  const candidateVerdicts = reasoning.candidates.map((candidate): ClusterVerdict => {
    const { name, score, allocatable, tier, from } = candidate;
    const target = targets.get(name);
    return {
      name,
      verdict: target !== undefined ? 'chosen' : selectedNames.has(name) ? 'selected' : 'passed',
      ...present({ replicas: target?.replicas }),
      score,
      scores: Object.fromEntries(
        Object.entries(reasoning.scores).map(([by, points]) => [by, points[name] ?? 0]),
      ),
      allocatable,
      ...(isCounted ? { ...present({ roomFrom: from }), ...roomFacts(request, candidate) } : {}),
      previous: previous.get(name) ?? 0,
      tier,
    };
  });
  const refusals = reasoning.refused.map(({ cluster, filter, reason, message }): ClusterVerdict => {
    const clusterFacts = facts.get(cluster);
    const specific =
      clusterFacts && specificRefusal({ reason }, clusterFacts, { request, groups: world.groups });
    return {
      name: cluster,
      verdict: 'refused',
      filter,
      reason,
      message,
      ...present({ specific }),
    };
  });
  return [...candidateVerdicts, ...refusals];
};

/** Data claims narrow the placement; a mismatch is explained by the policy's own terms. */
const requestOf = (
  spec: BindingSpec,
  { status, dataPlacement }: ExplainedWorld,
  affinityName: string | undefined,
): PlacementRequest => {
  const { placement = {} } = spec;
  const request = placementRequest(spec, status, placement, affinityName, dataPlacement);
  const base = dataPlacement?.within?.base();
  return base === undefined ? request : { ...request, placement: { ...placement, ...base } };
};

const attemptOf = (
  outcome: Outcome,
  spec: BindingSpec,
  explainedWorld: ExplainedWorld,
): Attempt => {
  const { affinityName, candidates } = outcome.reasoning;
  const { world } = explainedWorld;
  const attemptInput = { spec, request: requestOf(spec, explainedWorld, affinityName), world };
  const groups = spreadGroups(spec.placement ?? {}, candidates);
  const shortage = shortageOf(spec, outcome, world.clusters);
  const choice = choiceOf(outcome, attemptInput.request);
  return {
    ...present({ affinityName }),
    outcome: outcome.kind,
    ...(outcome.kind === 'refused' ? { reason: outcome.reason, message: outcome.message } : {}),
    ...present({ shortage, groups, choice }),
    clusters: verdictsOf(outcome, attemptInput),
  };
};

/** Explains a decision, and the fate of refused work. */
export const explain = (
  spec: BindingSpec,
  decision: Decision,
  explainedWorld: ExplainedWorld,
): Explanation => {
  const { replicas = 0, placement } = spec;
  const { isFresh, clusterOf } = explainedWorld;
  const stays = decision.outcome.kind === 'refused' ? clustersAfter(decision, spec, clusterOf) : [];
  return {
    outcome: decision.outcome.kind,
    replicas,
    division: isDivisible(spec) ? divisionStrategy(placement?.replicaScheduling) : 'whole',
    isFresh,
    ...present({ stays: unlessEmpty(stays) }),
    attempts: decision.attempts.map((outcome) => attemptOf(outcome, spec, explainedWorld)),
  };
};
