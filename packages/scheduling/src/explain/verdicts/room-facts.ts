import type { Candidate } from '../../placement/scheduler/candidate.ts';
import { estimatePods } from '../../placement/scheduler/estimate/estimate-pods.ts';
import { estimateSets } from '../../placement/scheduler/estimate/estimate-sets.ts';
import type { PlacementRequest } from '../../placement/scheduler/placement-request.ts';

/** The reported room of a cluster, if it differs from the count of its nodes. */
export interface RoomFacts {
  readonly counted: number;
  readonly reported: number;
  /** The source of the report: grades of the resource model, or sums over all nodes. */
  readonly by: 'grades' | 'sums';
}

const ANY_NUMBER = 2 ** 31 - 1;

/** The count of the nodes takes precedence. If the two differ, both are shown. */
export const roomFacts = (
  { set, shape }: PlacementRequest,
  { cluster, from, allocatable }: Candidate,
): { readonly room?: RoomFacts } => {
  const { capacity } = cluster;
  if (from !== 'nodes' || capacity === undefined) return {};
  const reported =
    set === undefined ? estimatePods(capacity, shape) : estimateSets(capacity, set, ANY_NUMBER);
  if (reported === allocatable) return {};
  const by = capacity.grades.length > 0 ? 'grades' : 'sums';
  return { room: { counted: allocatable, reported, by } };
};
