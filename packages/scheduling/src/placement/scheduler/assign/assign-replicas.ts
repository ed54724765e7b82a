import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import { affinityPredicate } from '../../../clusters/cluster-affinity.ts';
import type { Candidate } from '../candidate.ts';
import { isDivisible, type PlacementRequest } from '../placement-request.ts';
import { divideByRoom } from './divide-by-room.ts';
import { type Party, webster } from './webster.ts';

/** The static weight of each cluster. Clusters without a rule get nothing; if no rule matches any, all weigh 1. */
const weigh = ({ placement }: PlacementRequest, selection: readonly Candidate[]) => {
  const { staticWeightList = [] } = placement.replicaScheduling?.weightPreference ?? {};
  const rules = staticWeightList.map(({ targetCluster, weight }) => ({
    accepts: affinityPredicate(targetCluster),
    weight: Number(weight),
  }));
  const parties = selection.map(({ name, cluster }): Party => {
    const matches = rules.filter(({ accepts }) => accepts(cluster));
    return { name, votes: Math.max(0, ...matches.map(({ weight }) => weight)) };
  });
  const withVotes = parties.filter(({ votes }) => votes > 0);
  return withVotes.length > 0 ? withVotes : parties.map(({ name }) => ({ name, votes: 1 }));
};

const divideByWeight = (
  request: PlacementRequest,
  selection: readonly Candidate[],
  replicas: number,
): readonly TargetCluster[] =>
  webster(replicas, weigh(request, selection), request.spec.resource.uid).map(
    ({ name, seats }) => ({
      name,
      replicas: seats,
    }),
  );

/** The replicas of each cluster, or the reason for too little room. */
export type Assignment =
  | { readonly targets: readonly TargetCluster[] }
  | { readonly problem: string };

const divide = (
  request: PlacementRequest,
  selection: readonly Candidate[],
  replicas: number,
): Assignment => {
  switch (request.strategy) {
    case 'duplicated':
      return { targets: selection.map(({ name }) => ({ name, replicas })) };
    case 'static-weight':
      return { targets: divideByWeight(request, selection, replicas) };
    default:
      return divideByRoom(request, selection, replicas);
  }
};

/** Fills the first tier up to its room, and each further one with the rest. */
const divideByTier = (request: PlacementRequest, selection: readonly Candidate[]): Assignment => {
  const tiers = [...Map.groupBy(selection, ({ tier }) => tier)].sort(([a], [b]) => a - b);
  const targets: TargetCluster[] = [];
  let replicasLeft = request.replicas;
  for (const [, members] of tiers) {
    const room = members.reduce((sum, { available }) => sum + available, 0);
    const share = Math.min(replicasLeft, room);
    const assignment = divide(request, members, share);
    if ('problem' in assignment) return assignment;
    targets.push(...assignment.targets);
    replicasLeft -= share;
    if (replicasLeft <= 0) return { targets };
  }
  return {
    problem: `Clusters available replicas ${request.replicas - replicasLeft} are not enough to schedule.`,
  };
};

/** Work without replicas goes unchanged to every selected cluster. */
const sendWhole = (
  { spec, set }: PlacementRequest,
  selection: readonly Candidate[],
): readonly TargetCluster[] => {
  const { components = [] } = spec;
  const parts = components.map(({ name, replicas }) => ({ name, replicas }));
  const isSet = set !== undefined && components.length > 1;
  return selection.map(({ name }) => (isSet ? { name, components: parts } : { name }));
};

/** Divides the replicas among the chosen clusters. */
export const assignReplicas = (
  request: PlacementRequest,
  selection: readonly Candidate[],
): Assignment => {
  const { spec, replicas, hasOverflow } = request;
  if (!isDivisible(spec)) return { targets: sendWhole(request, selection) };
  const assignment = hasOverflow
    ? divideByTier(request, selection)
    : divide(request, selection, replicas);
  if ('problem' in assignment) return assignment;
  return { targets: assignment.targets.filter((target) => (target.replicas ?? 0) > 0) };
};
