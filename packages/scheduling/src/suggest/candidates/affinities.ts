import type { ClusterAffinity } from '@perigee/api/kinds/placement/cluster-affinity';
import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
import { patchBetween } from '../../plan/merge.ts';
import type { Candidate } from '../suggestion.ts';
import { policyChange } from './policy-change.ts';

type Words = Pick<Candidate, 'reason' | 'text' | 'cost'>;

/** An affinity of a policy, and the candidate that puts another in its place. */
export interface PolicyAffinity {
  readonly policy: AnyPolicy;
  readonly affinity: ClusterAffinity;
  readonly changeTo: (next: ClusterAffinity, words: Words) => Candidate;
}

/** The affinities of a policy: the only one, or that of each term. */
export const affinitiesOf = (policy: AnyPolicy): readonly PolicyAffinity[] => {
  const { clusterAffinity, clusterAffinities = [] } = policy.spec.placement ?? {};
  const placementChange = (placement: object, words: Words) =>
    policyChange(policy, { spec: { placement } }, words);
  if (clusterAffinity !== undefined) {
    const put = (next: ClusterAffinity, words: Words) =>
      placementChange({ clusterAffinity: patchBetween(clusterAffinity, next) }, words);
    return [{ policy, affinity: clusterAffinity, changeTo: put }];
  }
  return clusterAffinities.map((term, at) => ({
    policy,
    affinity: term,
    changeTo: (next, words) => {
      const { affinityName } = term;
      const terms = clusterAffinities.with(at, { ...next, affinityName });
      return placementChange({ clusterAffinities: terms }, words);
    },
  }));
};
