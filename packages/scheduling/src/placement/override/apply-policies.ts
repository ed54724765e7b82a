import type { OverrideSpec } from '@perigee/api/kinds/placement/override-spec';
import type { Overriders } from '@perigee/api/kinds/placement/overriders';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { JsonObject } from '@perigee/schema/json';
import { affinityPredicate } from '../../clusters/cluster-affinity.ts';
import { OverrideError } from '../../errors.ts';
import { bestMatch } from '../policy/selector-match.ts';
import type { ClusterFacts } from '../scheduler/cluster-facts.ts';
import { applyOverriders, type YamlFormat } from './apply-overriders.ts';
import { Draft } from './draft.ts';
import { keepIdentity, keepRights } from './keep-identity.ts';

/** An override policy of either scope. */
export interface OverridingPolicy {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: OverrideSpec;
}

/** An applied rule, as the annotations of a Work list it. */
export interface AppliedOverride {
  readonly policyName: string;
  readonly overriders: Overriders;
}

export interface OverrideResult {
  readonly object: JsonObject;
  readonly cluster: readonly AppliedOverride[];
  readonly namespaced: readonly AppliedOverride[];
}

const precisionFor = ({ spec }: OverridingPolicy, object: KubeObject): number => {
  const { resourceSelectors = [] } = spec;
  return resourceSelectors.length === 0 ? 1 : bestMatch(resourceSelectors, object);
};

const rulesOf = ({ spec }: OverridingPolicy) =>
  spec.overrideRules !== undefined && spec.overrideRules.length > 0
    ? spec.overrideRules
    : [{ targetCluster: spec.targetCluster, overriders: spec.overriders ?? {} }];

/**
 * The rules that match object and cluster. The most precise policy is applied last, and so it wins.
 */
const rulesFor = (
  policies: readonly OverridingPolicy[],
  object: KubeObject,
  cluster: ClusterFacts,
): readonly AppliedOverride[] =>
  policies
    .map((policy) => ({ policy, precision: precisionFor(policy, object) }))
    .filter(({ precision }) => precision > 0)
    .sort(
      (a, b) =>
        a.precision - b.precision || (a.policy.metadata.name < b.policy.metadata.name ? -1 : 1),
    )
    .flatMap(({ policy }) =>
      rulesOf(policy)
        .filter(
          ({ targetCluster }) =>
            targetCluster === undefined || affinityPredicate(targetCluster)(cluster),
        )
        .map(({ overriders }) => ({ policyName: policy.metadata.name, overriders })),
    );

/** The problem of a Secret could quote it, and more users read this message than the Secret. */
const SECRECY = 'it does not suit this Secret; why is not told, because that could quote it';

/** Runs a part of a policy, and names the policy in what is wrong with it. */
const under = (policyName: string, isSecret: boolean, run: () => void): void => {
  try {
    run();
  } catch (error) {
    if (!(error instanceof OverrideError)) throw error;
    throw new OverrideError(`override policy ${policyName}: ${isSecret ? SECRECY : error.message}`);
  }
};

/** Applies rules, and checks after each that it is still the same object. */
const applyAll = (
  object: JsonObject,
  rules: readonly AppliedOverride[],
  yaml: YamlFormat,
  check: (before: JsonObject, draft: Draft) => void,
): JsonObject => {
  const draft = new Draft(object);
  const isSecret = object.apiVersion === 'v1' && object.kind === 'Secret';
  for (const { policyName, overriders } of rules) {
    under(policyName, isSecret, () => applyOverriders(draft, overriders, yaml));
    under(policyName, false, () => check(object, draft));
  }
  return draft.value as JsonObject;
};

/**
 * Applies all overrides for a cluster: cluster-wide policies first, then those of the namespace.
 */
export const applyPolicies = (
  object: JsonObject & KubeObject,
  cluster: ClusterFacts,
  policies: {
    readonly cluster: readonly OverridingPolicy[];
    readonly namespaced: readonly OverridingPolicy[];
  },
  yaml: YamlFormat,
): OverrideResult => {
  const wide = rulesFor(policies.cluster, object, cluster);
  const own = object.metadata.namespace ? rulesFor(policies.namespaced, object, cluster) : [];
  const widely = applyAll(object, wide, yaml, keepIdentity);
  const result = applyAll(widely, own, yaml, (before, draft) => {
    keepIdentity(before, draft);
    keepRights(before, draft);
  });
  return { object: result, cluster: wide, namespaced: own };
};
