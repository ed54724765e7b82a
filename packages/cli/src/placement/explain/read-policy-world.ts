import { ClusterResourceBinding } from '@perigee/api/kinds/placement/cluster-resource-binding';
import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { ResourceSelector } from '@perigee/api/kinds/placement/resource-selector';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client, ObjectRef } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { listAll } from '@perigee/kube/client/list-all';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { UnknownKindError } from '@perigee/kube/errors';
import type {
  NamedSelection,
  PolicyWorld,
} from '@perigee/scheduling/explain/objects/explain-policy';
import { read } from '@perigee/scheduling/explain/snapshot';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import type { AnyPolicy } from '@perigee/scheduling/placement/policy/policy-for';
import { policyLabel, propagatedBy } from '@perigee/scheduling/placement/policy/propagated-by';
import { present } from '@perigee/schema/present';
import { canBeName } from '../../object-names.ts';
import { reading, readingList } from './reading.ts';

/** Maximum number of selectors that are checked: a policy may have a thousand. */
const MOST_LOOKED_UP = 20;
/** Names are compared within a single page. */
const MOST_NAMES = 500;

const readBindings = async (
  client: Client,
  policy: AnyPolicy,
): Promise<PolicyWorld['bindings']> => {
  const { key, id } = policyLabel(policy);
  if (id === '') return { value: [] };
  const { namespace } = policy.metadata;
  const selection = {
    labelSelector: `${key}=${id}`,
    ...present({ namespace }),
  };
  const own = readingList(
    'bindings',
    listAll(client, ResourceBinding, selection).then(({ items }): readonly Binding[] => items),
  );
  if (namespace !== undefined) return own;
  const wide = readingList(
    'cluster-wide bindings',
    listAll(client, ClusterResourceBinding, selection).then(
      ({ items }): readonly Binding[] => items,
    ),
  );
  const [namespaced, clusterWide] = await Promise.all([own, wide]);
  if ('hidden' in namespaced) return namespaced;
  return { value: [...namespaced.value, ...read(clusterWide, [])] };
};

/** The object, also for readers who may list its kind and not get it. */
const readNamed = async (
  client: Client,
  kind: ResourceKind,
  ref: ObjectRef & { readonly name: string },
): Promise<KubeObject | undefined> => {
  const object = await reading(kind.plural, getOrUndefined(client, kind, ref));
  if ('value' in object) return object.value;
  const { name, ...place } = ref;
  const selection = { ...place, fieldSelector: `metadata.name=${name}` };
  const [listed] = read(
    await readingList(
      kind.plural,
      client.list(kind, selection).then(({ items }) => items),
    ),
    [],
  );
  return listed;
};

const policyName = (namespace: string | undefined, name: string): string =>
  namespace === undefined
    ? `the ClusterPropagationPolicy ${name}`
    : `the PropagationPolicy ${namespace}/${name}`;

const lookUp = async (
  client: Client,
  mapper: RestMapper,
  policy: AnyPolicy,
  selector: ResourceSelector,
): Promise<NamedSelection | undefined> => {
  const { apiVersion, kind, namespace, name = '' } = selector;
  const resourceKind = await mapper.byKind(apiVersion, kind).catch((error: unknown) => {
    if (error instanceof UnknownKindError) return undefined;
    throw error;
  });
  if (resourceKind === undefined) return { selector, isThere: false, names: [] };
  // A cluster-wide policy without a namespace means the name in any of them.
  if (resourceKind.scope === 'Namespaced' && !namespace) return undefined;
  const place = present({ namespace: resourceKind.scope === 'Namespaced' ? namespace : undefined });
  if (place.namespace !== undefined && !canBeName(place.namespace)) {
    return { selector, isThere: false, names: [] };
  }
  const object = canBeName(name)
    ? await readNamed(client, resourceKind, { ...place, name })
    : undefined;
  if (object !== undefined) {
    const holder = propagatedBy(object.metadata);
    const isOther = holder !== undefined && holder.id !== policyLabel(policy).id;
    const other = isOther ? policyName(holder.namespace, holder.name) : undefined;
    return { selector, isThere: true, names: [], ...present({ hasIt: other }) };
  }
  const others = await readingList(
    resourceKind.plural,
    client.list(resourceKind, { ...place, limit: MOST_NAMES }).then(({ items }) => items),
  );
  // If the names may not be listed, none counts as missing.
  if ('hidden' in others) return undefined;
  return { selector, isThere: false, names: others.value.map(({ metadata }) => metadata.name) };
};

/** Reads the resources that a policy propagates, and checks that those it names exist. */
export const readPolicyWorld = async (client: Client, policy: AnyPolicy): Promise<PolicyWorld> => {
  const mapper = new RestMapper(client);
  // An empty name selects like none.
  const byName = policy.spec.resourceSelectors.filter(({ name }) => Boolean(name));
  const [bindings, ...lookups] = await Promise.all([
    readBindings(client, policy),
    ...byName.slice(0, MOST_LOOKED_UP).map((one) => lookUp(client, mapper, policy, one)),
  ]);
  return { bindings, selections: lookups.filter((one) => one !== undefined) };
};
