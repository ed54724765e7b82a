import { type Candidate, compareCandidates } from '../candidate.ts';
import type { PlacementRequest } from '../placement-request.ts';
import { chooseGroups, type Group } from './choose-groups.ts';
import type { Limits, Selection } from './select-clusters.ts';

export interface GroupRule {
  readonly groupName: (candidate: Candidate) => string;
  readonly groups: Limits;
  readonly clusters: Limits;
  /** The name of the grouping, for messages. */
  readonly what: string;
}

/** Weight of room over score: scores, at most 100, only break ties. */
const UNIT = 1000;

const duplicatedWeight = (members: readonly Candidate[], replicas: number): number => {
  const fit = members.filter(({ available }) => available >= replicas);
  if (fit.length === 0) return 0;
  const score = fit.reduce((sum, one) => sum + one.score, 0);
  return fit.length * UNIT + Math.floor(score / fit.length);
};

/** The capacity of a group for its share: room beyond the share does not count. */
const dividedWeight = (
  members: readonly Candidate[],
  replicas: number,
  { groups, clusters }: GroupRule,
): number => {
  const share = Math.ceil(replicas / groups.min);
  const fewest = Math.max(clusters.min, groups.min);
  let [room, score, count] = [0, 0, 0];
  for (const member of members) {
    room += member.available;
    score += member.score;
    count += 1;
    if (count >= fewest && room >= share) break;
  }
  return room < share
    ? room * UNIT + Math.floor(score / members.length)
    : share * UNIT + Math.floor(score / count);
};

const groupsOf = (
  { strategy, replicas }: PlacementRequest,
  candidates: readonly Candidate[],
  rule: GroupRule,
): readonly Group[] =>
  [...Map.groupBy(candidates, rule.groupName)]
    .filter(([name]) => name !== '')
    .map(([name, members]) => ({
      name,
      members,
      weight:
        strategy === 'duplicated'
          ? duplicatedWeight(members, replicas)
          : dividedWeight(members, replicas, rule),
    }));

/** Chooses groups first, then the best cluster of each, then the best of the rest up to the limit. */
export const selectByGroup = (
  request: PlacementRequest,
  candidates: readonly Candidate[],
  rule: GroupRule,
): Selection => {
  const { groups: limits, clusters, what } = rule;
  const groups = groupsOf(request, candidates, rule);
  if (groups.length < limits.min) {
    const countText = `the clusters that can be used make ${groups.length} groups by ${what}`;
    return { problem: `${countText}, and the spread constraint asks for at least ${limits.min}` };
  }
  const groupChoice = chooseGroups(groups, limits, clusters.min);
  if (groupChoice === undefined) {
    return {
      problem: `no choice of groups by ${what} has the ${clusters.min} clusters that the spread constraint asks for`,
    };
  }
  const selection = groupChoice.map(({ members }) => members[0] as Candidate);
  const rest = groupChoice.flatMap(({ members }) => members.slice(1)).sort(compareCandidates);
  const more = Math.max(0, clusters.max - selection.length);
  return { selection: [...selection, ...rest.slice(0, more)] };
};
