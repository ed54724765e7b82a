import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterOverridePolicy } from '@perigee/api/kinds/placement/cluster-override-policy';
import { OverridePolicy } from '@perigee/api/kinds/placement/override-policy';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ObjectRef } from '@perigee/kube/client/client';
import { refOf } from '@perigee/kube/client/ref-of';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import type { BindingKind } from '@perigee/scheduling/placement/binding/binding';
import type { OverridingPolicy } from '@perigee/scheduling/placement/override/apply-policies';
import { sameJson } from '@perigee/schema/same-json';
import { BY_CLUSTER, BY_RESOURCE, resourceKey } from './binding-index.ts';

const BY_KIND = 'overridden-kind';
const ANY_KIND = '*';

const kindKey = (apiVersion: string, kind: string): string => `${apiVersion} ${kind}`;

const kindKeysOf = ({ spec }: OverridingPolicy): readonly string[] => {
  const { resourceSelectors = [] } = spec;
  return resourceSelectors.length === 0
    ? [ANY_KIND]
    : [...new Set(resourceSelectors.map(({ apiVersion, kind }) => kindKey(apiVersion, kind)))];
};

const namespacedKindKeysOf = (policy: OverridePolicy): readonly string[] =>
  kindKeysOf(policy).map((key) => `${policy.metadata.namespace}/${key}`);

/** Indexes override policies by the kinds that they select. */
export const overrideIndexes: readonly CacheIndex[] = [
  index(ClusterOverridePolicy, BY_KIND, kindKeysOf),
  index(OverridePolicy, BY_KIND, namespacedKindKeysOf),
];

/** The override policies that may concern an object. */
export const overridesFor = (cache: Caches, { apiVersion, kind, metadata }: KubeObject) => {
  const keys = [kindKey(apiVersion, kind), ANY_KIND];
  const { namespace } = metadata;
  return {
    cluster: keys.flatMap((key) => cache(ClusterOverridePolicy).byIndex(BY_KIND, key)),
    namespaced:
      namespace === undefined
        ? []
        : keys.flatMap((key) => cache(OverridePolicy).byIndex(BY_KIND, `${namespace}/${key}`)),
  };
};

/** The bindings whose resources a policy may select. Labels are ignored: they may have changed since. */
const selectedBindings =
  (kind: BindingKind) =>
  (policy: OverridingPolicy, cache: Caches): readonly ObjectRef[] => {
    const { namespace } = policy.metadata;
    const { resourceSelectors = [] } = policy.spec;
    const keys =
      resourceSelectors.length === 0
        ? [resourceKey({ namespace })]
        : resourceSelectors.map((selector) =>
            resourceKey({
              apiVersion: selector.apiVersion,
              kind: selector.kind,
              namespace: namespace ?? selector.namespace,
              name: selector.name,
            }),
          );
    return keys.flatMap((key) => cache(kind).byIndex(BY_RESOURCE, key).map(refOf));
  };

const isChanged = (now: KubeObject | undefined, before: KubeObject | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.generation !== before.metadata.generation;

/** The cluster fields that overrides can select by. */
const targetedBy = ({ metadata, spec }: MemberCluster) => [
  metadata.labels,
  metadata.deletionTimestamp === undefined,
  spec.provider,
  spec.region,
  spec.zones,
];

/** True if a change of a cluster can change the overrides that apply. */
export const isRetargeted = (
  now: MemberCluster | undefined,
  before: MemberCluster | undefined,
): boolean =>
  now === undefined || before === undefined || !sameJson(targetedBy(now), targetedBy(before));

/** Changes of policies and clusters that affect overrides. */
export const overrideSources = (kind: BindingKind): readonly Source[] => [
  watch(ClusterOverridePolicy, { map: selectedBindings(kind), when: isChanged }),
  watch(OverridePolicy, { map: selectedBindings(kind), when: isChanged }),
  watch(MemberCluster, {
    map: ({ metadata }, cache) => cache(kind).byIndex(BY_CLUSTER, metadata.name).map(refOf),
    when: isRetargeted,
  }),
];
