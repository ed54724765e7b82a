import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import {
  bindingName,
  distinctBindingName,
  isSameResource,
  type NamedResource,
} from '@perigee/api/values/karmada-names';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { readPlacementClusters } from '@perigee/registration/operations/placement-clusters';
import { BINDING_KINDS, type Binding } from '@perigee/scheduling/placement/binding/binding';
import { groupsAmong } from '@perigee/scheduling/placement/scheduler/groups-among';
import type { PlacementWorld } from '@perigee/scheduling/placement/scheduler/place';
import type { ClusterOf } from '@perigee/scheduling/placement/scheduler/record-decision';
import { standardRules } from '@perigee/scheduling/placement/scheduler/standard-rules';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';

export interface PlacementState {
  readonly binding: Binding;
  readonly world: PlacementWorld;
  readonly clusterOf: ClusterOf;
  /** The scheduler may know of more room, or less: what was counted on nodes is not for this user. */
  readonly isRoomHidden: boolean;
}

const getBinding = (client: Client, ref: ObjectRef): Promise<Binding | undefined> =>
  ref.namespace === undefined
    ? getOrUndefined(client, ClusterResourceBinding, ref)
    : getOrUndefined(client, ResourceBinding, ref);

/** The binding of a resource, under either of the names that it may have. */
const bindingAbout = async (client: Client, resource: NamedResource) => {
  const { namespace, kind, name } = resource;
  for (const one of [distinctBindingName(resource), bindingName(kind, name)]) {
    const ref = namespace === undefined ? { name: one } : { namespace, name: one };
    const binding = await getBinding(client, ref);
    if (binding !== undefined && isSameResource(binding.spec.resource, resource)) return binding;
  }
  return undefined;
};

/** The binding of what a user names as `deployment/web`; a binding may be named itself. */
const findBinding = async (client: Client, target: string, namespace: string) => {
  const [kindName = '', name] = target.split('/', 2);
  if (!name) {
    throw new CommandError(
      EXIT.usage,
      `"${target}" names nothing: say a kind and a name, such as deployment/web`,
    );
  }
  const resource = await new RestMapper(client).byName(kindName);
  const isBinding = BINDING_KINDS.some(
    ({ plural, group }) => plural === resource.plural && group === resource.group,
  );
  const isNamespaced = resource.scope === 'Namespaced';
  const found = isBinding
    ? await getBinding(client, isNamespaced ? { namespace, name } : { name })
    : await bindingAbout(client, {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        ...(isNamespaced ? { namespace } : {}),
        name,
      });
  if (found !== undefined) return found;
  const where = isNamespaced ? ` in namespace ${namespace}` : '';
  throw new CommandError(
    EXIT.notFound,
    `${resource.kind} ${name}${where} has no binding: no propagation policy propagates it. ` +
      'See "perigee list propagationpolicies -A" for what is selected.',
  );
};

/** Everything that a decision about a workload rests on, read through the API. */
export const readPlacementState = async (
  client: Client,
  target: string,
  namespace: string,
  nowMs: number,
): Promise<PlacementState> => {
  const binding = await findBinding(client, target, namespace);
  const read = await readPlacementClusters(client, { nowMs });
  const hasGroups = binding.spec.workloadAffinityGroups !== undefined;
  const others: readonly Binding[] = hasGroups
    ? (await listAll(client, ResourceBinding, { namespace })).items
    : [];
  const byName = new Map(read.clusters.map((cluster) => [cluster.metadata.name, cluster]));
  return {
    binding,
    isRoomHidden: read.isRoomHidden,
    clusterOf: (name) => byName.get(name),
    world: {
      clusters: read.facts,
      rules: standardRules,
      groups: groupsAmong(binding, others),
    },
  };
};
