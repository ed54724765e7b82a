import type { Candidate } from '../candidate.ts';
import type { PlacementRequest } from '../placement-request.ts';
import type { Limits, Selection } from './select-clusters.ts';

const roomOf = (candidates: readonly Candidate[]): number =>
  candidates.reduce((sum, { available }) => sum + available, 0);

/** The index of the candidate with the most room above `least`; -1 if there is none. */
const roomiest = (rest: readonly Candidate[], least: number): number => {
  let bestIndex = -1;
  let most = least;
  for (const [index, { available }] of rest.entries()) {
    if (available <= most) continue;
    most = available;
    bestIndex = index;
  }
  return bestIndex;
};

/**
 * The best clusters, up to the limit. If they lack room for all replicas, the lowest are replaced one by one by
 * clusters with more room.
 */
export const selectByRoom = (
  { strategy, replicas, set }: PlacementRequest,
  candidates: readonly Candidate[],
  { min, max }: Limits,
): Selection => {
  if (candidates.length < min) {
    const countText = `${candidates.length} of the clusters can be used`;
    return { problem: `${countText}, and the spread constraint asks for at least ${min}` };
  }
  const count = Math.min(candidates.length, max);
  const selection = candidates.slice(0, count);
  if (strategy === 'duplicated') return { selection };
  const neededRoom = set === undefined ? replicas : 1;
  const rest = candidates.slice(count);
  for (let at = count - 1; at >= 0 && roomOf(selection) < neededRoom; at -= 1) {
    const weakest = selection[at] as Candidate;
    const better = roomiest(rest, weakest.available);
    if (better < 0) continue;
    selection[at] = rest[better] as Candidate;
    rest[better] = weakest;
  }
  if (roomOf(selection) >= neededRoom) return { selection };
  const room = `room for ${roomOf(selection)} of ${neededRoom} replicas`;
  return { problem: `the ${count} clusters that the spread constraint allows have ${room}` };
};
