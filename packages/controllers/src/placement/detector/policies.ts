import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { choosePolicy, mayPreempt } from '@perigee/scheduling/placement/policy/choose-policy';
import { type Claim, claimLabel, claimOf } from '@perigee/scheduling/placement/policy/claim';
import { bestMatch } from '@perigee/scheduling/placement/policy/selector-match';

/** A propagation policy of either scope. */
export type AnyPolicy = PropagationPolicy | ClusterPropagationPolicy;

const BY_KIND = 'selected-kind';

const selectedKinds = ({ metadata, spec }: AnyPolicy): readonly string[] => [
  ...new Set(
    spec.resourceSelectors.map(
      ({ apiVersion, kind }) => `${metadata.namespace ?? ''} ${apiVersion} ${kind}`,
    ),
  ),
];

/** The policies that wait for an override policy of some name. */
export const BY_OVERRIDE = 'dependent-override';

const awaitedOverrides = ({ spec }: AnyPolicy): readonly string[] => spec.dependentOverrides ?? [];

export const policyIndexes: readonly CacheIndex[] = [
  PropagationPolicy,
  ClusterPropagationPolicy,
].flatMap((kind) => [
  index(kind as ResourceKind<AnyPolicy>, BY_KIND, selectedKinds),
  index(kind as ResourceKind<AnyPolicy>, BY_OVERRIDE, awaitedOverrides),
]);

const candidates = (cache: Caches, template: Template) => {
  const { apiVersion, kind, metadata } = template;
  const { namespace } = metadata;
  const own =
    namespace === undefined
      ? []
      : cache(PropagationPolicy).byIndex(BY_KIND, `${namespace} ${apiVersion} ${kind}`);
  return { own, wide: cache(ClusterPropagationPolicy).byIndex(BY_KIND, ` ${apiVersion} ${kind}`) };
};

/** The policy that a claim names: the very same, not another of its name. */
const policyOf = (cache: Caches, { namespace, name, id }: Claim): AnyPolicy | undefined => {
  const policy: AnyPolicy | undefined =
    namespace === undefined
      ? cache(ClusterPropagationPolicy).get({ name })
      : cache(PropagationPolicy).get({ namespace, name });
  return policy !== undefined && claimLabel(policy).id === id ? policy : undefined;
};

/** The claim of a template that still holds: its policy is there, stays, and still selects the template. */
const holder = (cache: Caches, template: Template): AnyPolicy | undefined => {
  const claim = claimOf(template.metadata);
  const policy = claim === undefined ? undefined : policyOf(cache, claim);
  if (policy === undefined || policy.metadata.deletionTimestamp !== undefined) return undefined;
  const { namespace } = policy.metadata;
  // Users can write the words of a claim; those of another namespace's policy mean nothing here.
  if (namespace !== undefined && namespace !== template.metadata.namespace) return undefined;
  return bestMatch(policy.spec.resourceSelectors, template) > 0 ? policy : undefined;
};

/**
 * The policy that a template belongs to now. Who has it keeps it, unless another may take it; what nobody
 * has goes to a policy of its namespace before a cluster-wide one.
 */
export const policyFor = (cache: Caches, template: Template): AnyPolicy | undefined => {
  const { own, wide } = candidates(cache, template);
  const owner = holder(cache, template);
  if (owner === undefined) return choosePolicy(own, template) ?? choosePolicy(wide, template);
  const takers = (policies: readonly AnyPolicy[]) =>
    choosePolicy(
      policies.filter((policy) => policy !== owner && mayPreempt(policy, owner)),
      template,
    );
  return takers(own) ?? takers(wide) ?? owner;
};

/** The override policies that have to be there first, and are not. */
export const missingOverrides = (cache: Caches, { metadata, spec }: AnyPolicy): readonly string[] =>
  (spec.dependentOverrides ?? []).filter((name) =>
    metadata.namespace === undefined
      ? cache(ClusterOverridePolicy).get({ name }) === undefined
      : cache(OverridePolicy).get({ namespace: metadata.namespace, name }) === undefined,
  );
