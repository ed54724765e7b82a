import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { propagatedBy } from '@perigee/scheduling/placement/policy/propagated-by';
import type { ServedKind, Suggestion } from '@perigee/scheduling/suggest/suggestion';
import { bindingAbout } from '../explain/find-work.ts';

type DefinitionChange = Partial<
  Pick<Suggestion['changes'][number], 'manifest' | 'target' | 'patch'>
>;

const DEFINITION = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const POLICY = { apiVersion: 'policy.karmada.io/v1alpha1', kind: 'ClusterPropagationPolicy' };

/** Lets the policy that sends the definition already send it to one more cluster; none if it selects clusters by rules. */
const widen = (policy: ClusterPropagationPolicy, cluster: string): DefinitionChange => {
  const { clusterAffinity } = policy.spec.placement ?? {};
  const names = clusterAffinity?.clusterNames ?? [];
  if (names.length === 0) return {};
  const clusterNames = [...new Set([...names, cluster])];
  return {
    target: { ...POLICY, name: policy.metadata.name },
    patch: { spec: { placement: { clusterAffinity: { clusterNames } } } },
  };
};

/** The change that sends the definition of a kind to a cluster; none for kinds that have none. */
export const sendDefinition = async (
  client: Client,
  mapper: RestMapper,
  { apiVersion, kind, cluster }: ServedKind,
): Promise<DefinitionChange> => {
  const { plural, group } = await mapper.byKind(apiVersion, kind);
  // The groups of Kubernetes itself have no dot, or end so.
  if (!group.includes('.') || group.endsWith('.k8s.io')) return {};
  const name = `${plural}.${group}`;
  // One policy has an object: a second one for it would do nothing.
  const binding = await bindingAbout(client, { ...DEFINITION, name });
  const ref = binding && propagatedBy(binding.metadata);
  const policy =
    ref && (await getOrUndefined(client, ClusterPropagationPolicy, { name: ref.name }));
  if (policy !== undefined) return widen(policy, cluster);
  const manifest = {
    ...POLICY,
    metadata: { name: `${name}.${cluster}` },
    spec: {
      resourceSelectors: [{ ...DEFINITION, name }],
      placement: { clusterAffinity: { clusterNames: [cluster] } },
    },
  };
  return { manifest };
};
