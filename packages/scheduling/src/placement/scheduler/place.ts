import { assignReplicas } from './assign/assign-replicas.ts';
import { type Candidate, candidateOf, compareCandidates } from './candidate.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import type { WorkloadGroups } from './filter.ts';
import { fitMessage, lacksData, type Outcome, type Reasoning, type Verdict } from './outcome.ts';
import type { PlacementRequest } from './placement-request.ts';
import { selectClusters } from './select/select-clusters.ts';
import type { PlacementRules } from './standard-rules.ts';

/** What a decision rests on, beside the binding. */
export interface PlacementWorld {
  readonly clusters: readonly ClusterFacts[];
  readonly rules: PlacementRules;
  /** Where the groups of other workloads are; absent when nobody looks after groups. */
  readonly groups?: WorkloadGroups;
}

interface Filtered {
  readonly passed: readonly ClusterFacts[];
  readonly refused: readonly Verdict[];
}

const filterClusters = (request: PlacementRequest, world: PlacementWorld): Filtered => {
  const checks = world.rules.filters.flatMap(
    (filter) => filter.prepare(request, world.groups) ?? [],
  );
  const passed: ClusterFacts[] = [];
  const refused: Verdict[] = [];
  for (const cluster of world.clusters) {
    if (cluster.isDeleting) continue;
    let refusal: ReturnType<(typeof checks)[number]>;
    for (const check of checks) {
      refusal = check(cluster);
      if (refusal !== undefined) break;
    }
    if (refusal === undefined) passed.push(cluster);
    else refused.push({ cluster: cluster.name, ...refusal });
  }
  return { passed, refused };
};

const scoreClusters = (
  request: PlacementRequest,
  { rules }: PlacementWorld,
  passed: readonly ClusterFacts[],
): Pick<Reasoning, 'candidates' | 'scores'> => {
  const scores: { [score: string]: { [cluster: string]: number } } = {};
  const sums = new Map<string, number>();
  for (const { name, prepare } of rules.scores) {
    const score = prepare(request);
    if (score === undefined) continue;
    const points: { [cluster: string]: number } = {};
    for (const cluster of passed) {
      const given = score(cluster);
      points[cluster.name] = given;
      sums.set(cluster.name, (sums.get(cluster.name) ?? 0) + given);
    }
    scores[name] = points;
  }
  const candidates = passed
    .map((cluster): Candidate => candidateOf(request, cluster, sums.get(cluster.name) ?? 0))
    .sort(compareCandidates);
  return { candidates, scores };
};

/** Decides where one binding goes, by one term of its placement: filter, score, select, divide. */
export const place = (request: PlacementRequest, world: PlacementWorld): Outcome => {
  const { passed, refused } = filterClusters(request, world);
  const { affinityName } = request;
  const { candidates, scores } = scoreClusters(request, world, passed);
  const seen = { refused, candidates, scores, ...(affinityName ? { affinityName } : {}) };
  if (passed.length === 0) {
    const message = fitMessage(world.clusters.length, refused);
    const reasoning = { ...seen, selected: [] };
    const reason = lacksData(refused) ? 'Unschedulable' : 'NoClusterFit';
    return { kind: 'refused', reason, message, reasoning };
  }
  const selection = selectClusters(request, candidates);
  if ('problem' in selection) {
    const reasoning = { ...seen, selected: [] };
    return { kind: 'refused', reason: 'Unschedulable', message: selection.problem, reasoning };
  }
  const { selected } = selection;
  const reasoning = { ...seen, selected: selected.map(({ name }) => name) };
  const assignment = assignReplicas(request, selected);
  return 'problem' in assignment
    ? { kind: 'refused', reason: 'Unschedulable', message: assignment.problem, reasoning }
    : { kind: 'placed', clusters: assignment.targets, reasoning };
};
