import type { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import type { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { Template } from '../binding/desired-binding.ts';
import { choosePolicy, mayPreempt } from './choose-policy.ts';
import { type PolicyRef, policyLabel, propagatedBy } from './propagated-by.ts';
import { bestMatch } from './selector-match.ts';

/** A propagation policy of either scope. */
export type AnyPolicy = PropagationPolicy | ClusterPropagationPolicy;

/** Policies that may apply to a template. */
export interface KnownPolicies {
  /** Policies in its namespace that select its kind. */
  readonly own: readonly AnyPolicy[];
  /** Cluster-wide policies that select its kind. */
  readonly wide: readonly AnyPolicy[];
  /** Finds any policy by name; without a namespace, a cluster-wide one. */
  readonly policyNamed: (ref: Pick<PolicyRef, 'namespace' | 'name'>) => AnyPolicy | undefined;
}

/**
 * The template's current policy, if it still has the same id, is not being deleted, and selects the
 * template.
 */
const ownerOf = (template: Template, { policyNamed }: KnownPolicies): AnyPolicy | undefined => {
  const ref = propagatedBy(template.metadata);
  const policy = ref && policyNamed(ref);
  if (policy === undefined || policyLabel(policy).id !== ref?.id) return undefined;
  if (policy.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace } = policy.metadata;
  // Users can forge these marks; a policy of another namespace has no effect.
  if (namespace !== undefined && namespace !== template.metadata.namespace) return undefined;
  return bestMatch(policy.spec.resourceSelectors, template) > 0 ? policy : undefined;
};

/**
 * The policy of a template. The current one stays unless another may preempt it; an unclaimed
 * template goes to a namespaced policy before a cluster-wide one.
 */
export const policyFor = (template: Template, policies: KnownPolicies): AnyPolicy | undefined => {
  const { own, wide } = policies;
  const owner = ownerOf(template, policies);
  if (owner === undefined) return choosePolicy(own, template) ?? choosePolicy(wide, template);
  const takers = (among: readonly AnyPolicy[]) =>
    choosePolicy(
      among.filter((policy) => policy !== owner && mayPreempt(policy, owner)),
      template,
    );
  return takers(own) ?? takers(wide) ?? owner;
};
