import type { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import type { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { Template } from '../binding/desired-binding.ts';
import { choosePolicy, mayPreempt } from './choose-policy.ts';
import { type PolicyRef, policyLabel, propagatedBy } from './propagated-by.ts';
import { bestMatch } from './selector-match.ts';

/** A propagation policy of either scope. */
export type AnyPolicy = PropagationPolicy | ClusterPropagationPolicy;

/** The policies that may concern a template. */
export interface KnownPolicies {
  /** Those of its namespace that select its kind. */
  readonly own: readonly AnyPolicy[];
  /** The cluster-wide ones that select its kind. */
  readonly wide: readonly AnyPolicy[];
  /** Any policy, by its name; cluster-wide without a namespace. */
  readonly named: (ref: Pick<PolicyRef, 'namespace' | 'name'>) => AnyPolicy | undefined;
}

/** The policy that has a template, if it still may: it is the very same, stays, and selects the template. */
const ownerOf = (template: Template, { named }: KnownPolicies): AnyPolicy | undefined => {
  const ref = propagatedBy(template.metadata);
  const policy = ref && named(ref);
  if (policy === undefined || policyLabel(policy).id !== ref?.id) return undefined;
  if (policy.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace } = policy.metadata;
  // Users can write the marks of a policy; those of another namespace's policy mean nothing here.
  if (namespace !== undefined && namespace !== template.metadata.namespace) return undefined;
  return bestMatch(policy.spec.resourceSelectors, template) > 0 ? policy : undefined;
};

/**
 * The policy that a template belongs to now. Who has it keeps it, unless another may take it; what nobody
 * has goes to a policy of its namespace before a cluster-wide one.
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
