import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import type { AnyPolicy, KnownPolicies } from '@perigee/scheduling/placement/policy/policy-for';

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

/** The policies that may concern a template. */
export const policiesAbout = (
  cache: Caches,
  { apiVersion, kind, metadata: { namespace } }: Template,
): KnownPolicies => ({
  own:
    namespace === undefined
      ? []
      : cache(PropagationPolicy).byIndex(BY_KIND, `${namespace} ${apiVersion} ${kind}`),
  wide: cache(ClusterPropagationPolicy).byIndex(BY_KIND, ` ${apiVersion} ${kind}`),
  policyNamed: ({ namespace: of, name }) =>
    of === undefined
      ? cache(ClusterPropagationPolicy).get({ name })
      : cache(PropagationPolicy).get({ namespace: of, name }),
});

/** True if an override policy exists in the scope of a policy that waits for it. */
export const hasOverride = (cache: Caches, { metadata }: AnyPolicy, name: string): boolean =>
  metadata.namespace === undefined
    ? cache(ClusterOverridePolicy).get({ name }) !== undefined
    : cache(OverridePolicy).get({ namespace: metadata.namespace, name }) !== undefined;
