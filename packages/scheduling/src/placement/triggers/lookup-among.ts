import type { PolicyReference } from '@perigee/api/kinds/placement/schedule-trigger';
import { propagatedBy } from '../policy/propagated-by.ts';
import type { ClusterFacts } from '../scheduler/cluster-facts.ts';
import type { TriggerableBinding } from './judge-target.ts';
import { type BindingLookup, targetKey } from './select-targets.ts';

export interface TriggerLists<B extends TriggerableBinding> {
  readonly bindings: readonly B[];
  readonly policies: readonly PolicyReference[];
  readonly clusters: readonly ClusterFacts[];
  readonly hasLabels: BindingLookup<B>['hasLabels'];
}

const policyKey = ({ namespace, name }: PolicyReference): string => `${namespace ?? ''}/${name}`;

/** A lookup over listed bindings. */
export const lookupAmong = <B extends TriggerableBinding>({
  bindings,
  policies,
  clusters,
  hasLabels,
}: TriggerLists<B>): BindingLookup<B> => {
  const byResource = new Map(bindings.map((one) => [targetKey(one.spec.resource), one]));
  const byPolicy = Map.groupBy(bindings, ({ metadata }) => {
    const policy = propagatedBy(metadata);
    return policy === undefined ? undefined : policyKey(policy);
  });
  const policyKeys = new Set(policies.map(policyKey));
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster]));
  return {
    ofResource: (resource) => byResource.get(targetKey(resource)),
    ofPolicy: (policy) => {
      const key = policyKey(policy);
      return policyKeys.has(key) ? (byPolicy.get(key) ?? []) : undefined;
    },
    within: (namespaces) =>
      namespaces === undefined
        ? bindings
        : bindings.filter(({ metadata }) => namespaces.includes(metadata.namespace ?? '')),
    hasLabels,
    markedBindings: () => [],
    cluster: (name) => byName.get(name),
  };
};
