import { present } from '@perigee/schema/present';
import { assignReplicas } from './assign/assign-replicas.ts';
import { type Candidate, candidateOf, compareCandidates } from './candidate.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { clustersAmong } from './cluster-index.ts';
import type { WorkloadGroups } from './filter.ts';
import { fitMessage, lacksData, type Outcome, type Reasoning, type Verdict } from './outcome.ts';
import type { PlacementRequest } from './placement-request.ts';
import { selectClusters } from './select/select-clusters.ts';
import type { PlacementRules } from './standard-rules.ts';

/** The inputs of a decision, beside the binding. */
export interface PlacementWorld {
  readonly clusters: readonly ClusterFacts[];
  readonly rules: PlacementRules;
  /** The clusters of other workloads' groups; absent when groups are not tracked. */
  readonly groups?: WorkloadGroups;
}

interface FilterResult {
  readonly feasibleClusters: readonly ClusterFacts[];
  readonly refusals: readonly Verdict[];
  /** True if reading the refusals computes them: a getter costs a fifth of a decision over a hundred clusters. */
  readonly isLazy: boolean;
}

const filterClusters = (
  request: PlacementRequest,
  { rules, groups }: PlacementWorld,
  clusters: readonly ClusterFacts[],
): FilterResult => {
  const checks = rules.filters.flatMap((filter) => filter.prepare(request, groups) ?? []);
  const feasibleClusters: ClusterFacts[] = [];
  const refusals: Verdict[] = [];
  for (const cluster of clusters) {
    if (cluster.isDeleting) continue;
    let refusal: ReturnType<(typeof checks)[number]>;
    for (const check of checks) {
      refusal = check(cluster);
      if (refusal !== undefined) break;
    }
    if (refusal === undefined) feasibleClusters.push(cluster);
    else refusals.push({ cluster: cluster.name, ...refusal });
  }
  return { feasibleClusters, refusals, isLazy: false };
};

/**
 * The clusters that may pass, by the affinities; undefined if all must be tested, as for bindings with groups: their
 * refusals depend on the present placement of others, and cannot be computed later.
 */
const promisingClusters = (
  request: PlacementRequest,
  { clusters, rules }: PlacementWorld,
): readonly ClusterFacts[] | undefined => {
  const { affinities, spec } = request;
  if (affinities === undefined || spec.workloadAffinityGroups !== undefined) return undefined;
  return rules.filters.some((filter) => filter.keepsToAffinities?.(request) === true)
    ? clustersAmong(clusters, affinities)
    : undefined;
};

/** Lists refusals lazily: of ten thousand clusters nearly all are refused, and few decisions read them. */
const filterPromising = (request: PlacementRequest, world: PlacementWorld): FilterResult => {
  const few = promisingClusters(request, world);
  if (few === undefined) return filterClusters(request, world, world.clusters);
  const { feasibleClusters } = filterClusters(request, world, few);
  let refusals: readonly Verdict[] | undefined;
  return {
    feasibleClusters,
    get refusals() {
      refusals ??= filterClusters(request, world, world.clusters).refusals;
      return refusals;
    },
    isLazy: true,
  };
};

const scoreClusters = (
  request: PlacementRequest,
  { rules }: PlacementWorld,
  feasibleClusters: readonly ClusterFacts[],
): Pick<Reasoning, 'candidates' | 'scores'> => {
  const scores: { [score: string]: { [cluster: string]: number } } = {};
  const sums = new Map<string, number>();
  for (const { name, prepare } of rules.scores) {
    const score = prepare(request);
    if (score === undefined) continue;
    const points: { [cluster: string]: number } = {};
    for (const cluster of feasibleClusters) {
      const value = score(cluster);
      points[cluster.name] = value;
      sums.set(cluster.name, (sums.get(cluster.name) ?? 0) + value);
    }
    scores[name] = points;
  }
  const candidates = feasibleClusters
    .map((cluster): Candidate => candidateOf(request, cluster, sums.get(cluster.name) ?? 0))
    .sort(compareCandidates);
  return { candidates, scores };
};

/** Places one binding by one term of its placement: filter, score, select, divide. */
export const place = (request: PlacementRequest, world: PlacementWorld): Outcome => {
  const filterResult = filterPromising(request, world);
  const { feasibleClusters } = filterResult;
  const { affinityName } = request;
  const scoring = scoreClusters(request, world, feasibleClusters);
  const reasoningWith = (selection: readonly string[]): Reasoning => {
    const choice = { ...scoring, ...present({ affinityName }), selected: selection };
    if (!filterResult.isLazy) return { refused: filterResult.refusals, ...choice };
    return {
      get refused() {
        return filterResult.refusals;
      },
      ...choice,
    };
  };
  if (feasibleClusters.length === 0) {
    const message = fitMessage(world.clusters.length, filterResult.refusals);
    const reason = lacksData(filterResult.refusals) ? 'Unschedulable' : 'NoClusterFit';
    return { kind: 'refused', reason, message, reasoning: reasoningWith([]) };
  }
  const selection = selectClusters(request, scoring.candidates);
  if ('problem' in selection) {
    const reasoning = reasoningWith([]);
    return { kind: 'refused', reason: 'Unschedulable', message: selection.problem, reasoning };
  }
  const { selection: winners } = selection;
  const reasoning = reasoningWith(winners.map(({ name }) => name));
  const assignment = assignReplicas(request, winners);
  return 'problem' in assignment
    ? { kind: 'refused', reason: 'Unschedulable', message: assignment.problem, reasoning }
    : { kind: 'placed', clusters: assignment.targets, reasoning };
};
