import type { ClusterFacts } from './cluster-facts.ts';
import { estimatePods } from './estimate/estimate-pods.ts';
import { estimateSets } from './estimate/estimate-sets.ts';
import { type PlacementRequest, tierOf } from './placement-request.ts';

/** A cluster that passed all filters. */
export interface Candidate {
  readonly cluster: ClusterFacts;
  readonly name: string;
  readonly tier: number;
  readonly score: number;
  /** How many more replicas, or whole sets, it could take. */
  readonly allocatable: number;
  /** The same together with what it has of this work already. */
  readonly available: number;
}

/** What is not counted in replicas fits everywhere. */
const ANY_NUMBER = 2 ** 31 - 1;

const allocatableOn = (request: PlacementRequest, { capacity }: ClusterFacts): number => {
  const { replicas, spec, set, shape } = request;
  if (replicas === 0 && (spec.components ?? []).length === 0) return ANY_NUMBER;
  return Math.min(
    ANY_NUMBER,
    set === undefined ? estimatePods(capacity, shape) : estimateSets(capacity, set, ANY_NUMBER),
  );
};

export const candidateOf = (
  request: PlacementRequest,
  cluster: ClusterFacts,
  score: number,
): Candidate => {
  const { name } = cluster;
  const allocatable = allocatableOn(request, cluster);
  const available = allocatable + (request.previous.get(name) ?? 0);
  return { cluster, name, tier: tierOf(request, cluster), score, allocatable, available };
};

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The first choice before what overflows, then by score, then by room, then by name. */
export const compareCandidates = (a: Candidate, b: Candidate): number =>
  a.tier - b.tier || b.score - a.score || b.available - a.available || byName(a.name, b.name);
