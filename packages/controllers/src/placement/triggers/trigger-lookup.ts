import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import {
  type PolicyReference,
  ScheduleTrigger,
} from '@perigee/api/kinds/placement/schedule-trigger';
import type { WorkloadReference } from '@perigee/api/kinds/placement/workload-reference';
import { isSameResource } from '@perigee/api/values/karmada-names';
import { type CacheIndex, index } from '@perigee/kube/controller/cache-index';
import type { Caches } from '@perigee/kube/controller/cached-objects';
import {
  BINDING_KINDS,
  type Binding,
  type BindingKind,
} from '@perigee/scheduling/placement/binding/binding';
import { nameOfBinding } from '@perigee/scheduling/placement/binding/name-of-binding';
import { propagatedBy } from '@perigee/scheduling/placement/policy/propagated-by';
import type { BindingLookup } from '@perigee/scheduling/placement/triggers/select-targets';
import { marksOf } from '@perigee/scheduling/placement/triggers/trigger-mark';
import type { KnownClusters } from '../scheduler/known-clusters.ts';

const BY_POLICY = 'policy-by-name';
const BY_TRIGGER = 'triggered-by';
const BY_UID = 'uid';

const policyKey = (namespace: string | undefined, name: string): string =>
  `${namespace ?? ''}/${name}`;

const policyKeys = ({ metadata }: Binding): readonly string[] => {
  const policy = propagatedBy(metadata);
  return policy === undefined ? [] : [policyKey(policy.namespace, policy.name)];
};

const triggerUids = ({ metadata }: Binding): readonly string[] => [...marksOf(metadata).keys()];

/** Finds bindings by their policies and by their triggers, and triggers by their uids. */
export const triggerIndexes: readonly CacheIndex[] = [
  ...BINDING_KINDS.flatMap((kind) => [
    index(kind, BY_POLICY, policyKeys),
    index(kind, BY_TRIGGER, triggerUids),
  ]),
  index(ScheduleTrigger, BY_UID, ({ metadata }) => [metadata.uid]),
];

export const isTriggerThere = (cache: Caches, uid: string): boolean =>
  cache(ScheduleTrigger).byIndex(BY_UID, uid).length > 0;

export const kindOf = ({ metadata }: Pick<Binding, 'metadata'>): BindingKind =>
  (metadata.namespace === undefined ? ClusterResourceBinding : ResourceBinding) as BindingKind;

const bindingOfResource = (cache: Caches, resource: WorkloadReference): Binding | undefined => {
  const { namespace = '' } = resource;
  const kind = (namespace === '' ? ClusterResourceBinding : ResourceBinding) as BindingKind;
  const bindingOf = (name: string) =>
    cache(kind).get(namespace === '' ? { name } : { namespace, name });
  const binding = bindingOf(nameOfBinding(resource, bindingOf));
  return binding !== undefined && isSameResource(binding.spec.resource, resource)
    ? binding
    : undefined;
};

const bindingsOfPolicy = (
  cache: Caches,
  { namespace, name }: PolicyReference,
): readonly Binding[] | undefined => {
  const policy = namespace
    ? cache(PropagationPolicy).get({ namespace, name })
    : cache(ClusterPropagationPolicy).get({ name });
  if (policy === undefined) return undefined;
  const key = policyKey(namespace || undefined, name);
  return BINDING_KINDS.flatMap((kind) => [...cache(kind).byIndex(BY_POLICY, key)]);
};

/** The bindings in the namespaces that a selector names. */
export const bindingsWithin = (
  cache: Caches,
  namespaces: readonly string[] | undefined,
): Iterable<Binding> =>
  namespaces === undefined
    ? BINDING_KINDS.flatMap((kind) => [...cache(kind).list()])
    : new Set(namespaces)
        .values()
        .flatMap((namespace) => cache(ResourceBinding).listNamespace(namespace));

export interface LookupOptions {
  readonly uid: string;
  readonly run: string;
  readonly clusters: KnownClusters;
  readonly hasLabels: BindingLookup<Binding>['hasLabels'];
  /** The binding as it was last written. */
  readonly newest: (binding: Binding) => Binding;
}

/** Finds bindings in caches. */
export const lookupIn = (
  cache: Caches,
  { uid, run, clusters, hasLabels, newest }: LookupOptions,
): BindingLookup<Binding> => ({
  ofResource: (resource) => {
    const binding = bindingOfResource(cache, resource);
    return binding === undefined ? undefined : newest(binding);
  },
  ofPolicy: (policy) => bindingsOfPolicy(cache, policy)?.map(newest),
  within: (namespaces) => Iterator.from(bindingsWithin(cache, namespaces)).map(newest),
  hasLabels,
  markedBindings: () =>
    BINDING_KINDS.values()
      .flatMap((kind) => cache(kind).byIndex(BY_TRIGGER, uid))
      .map(newest)
      .filter(({ metadata }) => marksOf(metadata).get(uid)?.run === run),
  cluster: (name) => {
    const cluster = cache(MemberCluster).get({ name });
    return cluster === undefined ? undefined : clusters.factsOf(cluster);
  },
});
