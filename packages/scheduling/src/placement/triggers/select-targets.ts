import type {
  PolicyReference,
  ScheduleTrigger,
  TargetSelector,
} from '@perigee/api/kinds/placement/schedule-trigger';
import type { WorkloadReference } from '@perigee/api/kinds/placement/workload-reference';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { usableBy } from '../scheduler/cluster-change.ts';
import type { ClusterFacts } from '../scheduler/cluster-facts.ts';

import type { TargetVerdict, TriggerableBinding } from './judge-target.ts';

/** Indexes of bindings. */
export interface BindingLookup<B extends TriggerableBinding> {
  readonly ofResource: (resource: WorkloadReference) => B | undefined;
  /** Undefined if the policy does not exist. */
  readonly ofPolicy: (policy: PolicyReference) => readonly B[] | undefined;
  /** The bindings of some namespaces, or all. */
  readonly within: (namespaces: readonly string[] | undefined) => Iterable<B>;
  /** True if the binding's resource has the labels of the selector. */
  readonly hasLabels: (selector: TargetSelector, binding: B) => boolean;
  /** The bindings that the trigger marked in this run. */
  readonly markedBindings: () => Iterable<B>;
  readonly cluster: (name: string) => ClusterFacts | undefined;
}

/** A selected resource, or a named one that does not exist. */
export interface TriggerTarget<B extends TriggerableBinding = TriggerableBinding> {
  readonly resource: WorkloadReference;
  readonly binding?: B;
  /** The reason why it cannot be rescheduled. */
  readonly problem?: TargetVerdict;
}

/**
 * Memoizes by object identity: a trigger reads its many targets repeatedly, and few change in
 * between.
 */
const memoize = <K extends object, V>(make: (key: K) => V): ((key: K) => V) => {
  const cache = new WeakMap<K, V>();
  return (key) => {
    const cachedValue = cache.get(key);
    if (cachedValue !== undefined) return cachedValue;
    const newValue = make(key);
    cache.set(key, newValue);
    return newValue;
  };
};

/** Identifies a resource regardless of its API version. */
export const targetKey = memoize(
  ({ apiVersion, kind, namespace = '', name }: WorkloadReference): string =>
    `${namespace}/${kind}.${apiVersion.split('/').toReversed()[1] ?? ''}/${name}`,
);

const referenceTo = memoize(({ spec }: TriggerableBinding): WorkloadReference => {
  const { apiVersion, kind, namespace, name } = spec.resource;
  return { apiVersion, kind, name, ...present({ namespace }) };
});

const createdAt = memoize(({ metadata }: TriggerableBinding): number =>
  parseTime(metadata.creationTimestamp),
);

const noPolicy = ({ name, namespace }: PolicyReference): TriggerTarget<never> => ({
  resource: {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: namespace ? 'PropagationPolicy' : 'ClusterPropagationPolicy',
    name,
    ...present({ namespace: namespace || undefined }),
  },
  problem: { result: 'Failed', reason: 'PolicyNotFound', message: 'there is no such policy' },
});

const noCluster = (name: string): TriggerTarget<never> => ({
  resource: { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', name },
  problem: { result: 'Failed', reason: 'ClusterNotFound', message: 'there is no such cluster' },
});

const matches = (
  { apiVersion, kind, namespaces }: TargetSelector,
  { spec: { resource } }: TriggerableBinding,
): boolean =>
  (apiVersion === undefined || apiVersion === resource.apiVersion) &&
  (kind === undefined || kind === resource.kind) &&
  (namespaces === undefined || namespaces.includes(resource.namespace ?? ''));

type TriggerSpec = Pick<
  ScheduleTrigger['spec'],
  'targetRefPolicy' | 'targetRefResource' | 'targetSelectors' | 'towardsClusters'
>;

/**
 * All resources that a trigger selects, deduplicated. Policies and selectors cover only work that
 * existed at the start: newer work was just scheduled anyway.
 */
export const selectTargets = <B extends TriggerableBinding>(
  spec: TriggerSpec,
  lookup: BindingLookup<B>,
  sinceMs: number,
): readonly TriggerTarget<B>[] => {
  const targets = new Map<string, TriggerTarget<B>>();
  const add = (target: TriggerTarget<B>): void => {
    const key = targetKey(target.resource);
    if (!targets.has(key)) targets.set(key, target);
  };
  const towards = spec.towardsClusters?.map((name) => lookup.cluster(name));
  const gains = (binding: B): boolean => {
    if (towards === undefined) return true;
    const isThere = new Set((binding.spec.clusters ?? []).map(({ name }) => name));
    const canUse = usableBy(binding);
    return towards.some((one) => one !== undefined && !isThere.has(one.name) && canUse(one));
  };
  const isMeant = (binding: B): boolean =>
    binding.spec.placement !== undefined &&
    binding.metadata.deletionTimestamp === undefined &&
    createdAt(binding) <= sinceMs &&
    gains(binding);
  const addAll = (bindings: Iterable<B>, isWanted: (binding: B) => boolean): void => {
    for (const binding of bindings) {
      if (isWanted(binding)) add({ resource: referenceTo(binding), binding });
    }
  };

  addAll(lookup.markedBindings(), () => true);
  for (const resource of spec.targetRefResource ?? []) {
    const binding = lookup.ofResource(resource);
    if (binding === undefined) add({ resource });
    else if (gains(binding)) add({ resource: referenceTo(binding), binding });
  }
  for (const policy of spec.targetRefPolicy ?? []) {
    const bindings = lookup.ofPolicy(policy);
    if (bindings === undefined) add(noPolicy(policy));
    else addAll(bindings, isMeant);
  }
  for (const selector of spec.targetSelectors ?? []) {
    addAll(
      lookup.within(selector.namespaces),
      (one) => matches(selector, one) && lookup.hasLabels(selector, one) && isMeant(one),
    );
  }
  for (const name of spec.towardsClusters ?? []) {
    if (lookup.cluster(name) === undefined) add(noCluster(name));
  }
  return [...targets.values()];
};
