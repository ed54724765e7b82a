import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { ServedKind } from '@perigee/scheduling/suggest/suggestion';

/** A policy that sends the definition of a kind to a cluster; undefined for kinds that have none. */
export const definitionPolicy = async (
  mapper: RestMapper,
  { apiVersion, kind, cluster }: ServedKind,
): Promise<object | undefined> => {
  const { plural, group } = await mapper.byKind(apiVersion, kind);
  // The groups of Kubernetes itself have no dot, or end so.
  if (!group.includes('.') || group.endsWith('.k8s.io')) return undefined;
  const name = `${plural}.${group}`;
  return {
    apiVersion: 'policy.karmada.io/v1alpha1',
    kind: 'ClusterPropagationPolicy',
    metadata: { name: `${name}.${cluster}` },
    spec: {
      resourceSelectors: [
        { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name },
      ],
      placement: { clusterAffinity: { clusterNames: [cluster] } },
    },
  };
};
