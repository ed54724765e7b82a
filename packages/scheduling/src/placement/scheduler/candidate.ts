import type { ClusterFacts } from './cluster-facts.ts';
import { estimatePods } from './estimate/estimate-pods.ts';
import { estimateSets } from './estimate/estimate-sets.ts';
import type { PodKind } from './estimate/node-group.ts';
import { type PlacementRequest, tierOf } from './placement-request.ts';

/** A cluster that passed all filters. */
export interface Candidate {
  readonly cluster: ClusterFacts;
  readonly name: string;
  readonly tier: number;
  readonly score: number;
  /** The number of additional replicas, or whole sets, that fit. */
  readonly allocatable: number;
  /** The number of replicas that fit, including those already there. */
  readonly available: number;
  /** Absent for work without replicas. */
  readonly from?: RoomSource;
}

/** Work without replicas fits everywhere. */
const ANY_NUMBER = 2 ** 31 - 1;

/** The basis of a cluster's room. */
export type RoomSource = 'kept' | 'nodes' | 'grades' | 'sums' | 'none';

interface Room {
  readonly count: number;
  readonly from: RoomSource;
}

const kindsOf = ({ set, kind }: PlacementRequest): readonly PodKind[] => set ?? [kind];

/** The room by nodes if they are counted and show the requested resources, else by the cluster's report. */
const roomIn = (
  request: PlacementRequest,
  { space, capacity, keptReplicas }: ClusterFacts,
): Room => {
  const { set, shape, kind } = request;
  if (keptReplicas !== undefined) return { count: keptReplicas, from: 'kept' };
  const free = space?.free;
  if (free !== undefined && kindsOf(request).every(({ claim }) => free.covers(claim))) {
    const count = set === undefined ? free.podsFor(kind) : free.setsFor(set);
    return { count, from: 'nodes' };
  }
  const count =
    set === undefined ? estimatePods(capacity, shape) : estimateSets(capacity, set, ANY_NUMBER);
  if (capacity === undefined) return { count, from: 'none' };
  return { count, from: capacity.grades.length > 0 ? 'grades' : 'sums' };
};

const allocatableOn = (request: PlacementRequest, cluster: ClusterFacts): Room | undefined => {
  const { replicas, spec } = request;
  if (replicas === 0 && (spec.components ?? []).length === 0) return undefined;
  return roomIn(request, cluster);
};

export const candidateOf = (
  request: PlacementRequest,
  cluster: ClusterFacts,
  score: number,
): Candidate => {
  const { name } = cluster;
  const room = allocatableOn(request, cluster);
  const allocatable = Math.min(ANY_NUMBER, room?.count ?? ANY_NUMBER);
  const available = allocatable + (request.previous.get(name) ?? 0);
  const tier = tierOf(request, cluster);
  return { cluster, name, tier, score, allocatable, available, ...(room && { from: room.from }) };
};

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Order of candidates: by tier, then by score, then by room, then by name. */
export const compareCandidates = (a: Candidate, b: Candidate): number =>
  a.tier - b.tier || b.score - a.score || b.available - a.available || byName(a.name, b.name);
