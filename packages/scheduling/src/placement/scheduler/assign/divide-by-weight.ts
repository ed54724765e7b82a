import type { TargetCluster } from '@perigee/api/kinds/placement/target-cluster';
import type { Candidate } from '../candidate.ts';
import { affinityPredicate } from '../cluster-affinity.ts';
import type { PlacementRequest } from '../placement-request.ts';
import { type Party, webster } from './webster.ts';

/** The static weight of each cluster. Clusters without a rule get nothing; if no rule matches any, all weigh 1. */
const weigh = ({ placement }: PlacementRequest, selected: readonly Candidate[]) => {
  const { staticWeightList = [] } = placement.replicaScheduling?.weightPreference ?? {};
  const rules = staticWeightList.map(({ targetCluster, weight }) => ({
    accepts: affinityPredicate(targetCluster),
    weight: Number(weight),
  }));
  const parties = selected.map(({ name, cluster }): Party => {
    const fitting = rules.filter(({ accepts }) => accepts(cluster));
    return { name, votes: Math.max(0, ...fitting.map(({ weight }) => weight)) };
  });
  const withVotes = parties.filter(({ votes }) => votes > 0);
  return withVotes.length > 0 ? withVotes : parties.map(({ name }) => ({ name, votes: 1 }));
};

export const divideByWeight = (
  request: PlacementRequest,
  selected: readonly Candidate[],
  replicas: number,
): readonly TargetCluster[] =>
  webster(replicas, weigh(request, selected), request.spec.resource.uid).map(({ name, seats }) => ({
    name,
    replicas: seats,
  }));
