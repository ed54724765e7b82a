import type { AnyPolicy } from '../../placement/policy/policy-for.ts';
import { applyPatch } from '../../plan/merge.ts';
import type { Candidate, SuggestedTarget } from '../suggestion.ts';

/** A policy as messages name it. */
export const policyTitle = ({ metadata }: AnyPolicy): string => `the policy ${metadata.name}`;

const targetOf = ({ metadata }: AnyPolicy): SuggestedTarget => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: metadata.namespace ? 'PropagationPolicy' : 'ClusterPropagationPolicy',
  ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  name: metadata.name,
});

/** A candidate that changes a policy. */
export const policyChange = (
  policy: AnyPolicy,
  patch: object,
  words: Pick<Candidate, 'reason' | 'text' | 'cost'>,
): Candidate => ({
  ...words,
  target: targetOf(policy),
  patch,
  change: { kind: 'put', of: 'policy', object: applyPatch(policy, patch) },
});
