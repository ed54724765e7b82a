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
import type { ApiResource } from '@perigee/kube/client/discovery';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { UnknownKindError } from '@perigee/kube/errors';
import { BINDING_KINDS, type Binding } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { splitTarget } from '../../object-names.ts';

/** The workload or binding that an argument such as `deployment/web` names. */
export interface FoundWork {
  readonly resource: NamedResource;
  /** Absent when the server does not serve the kind. */
  readonly kind?: ApiResource;
  /** Set if the argument names the binding itself. */
  readonly binding?: Binding;
}

const getBinding = (client: Client, ref: ObjectRef): Promise<Binding | undefined> =>
  ref.namespace === undefined
    ? getOrUndefined(client, ClusterResourceBinding, ref)
    : getOrUndefined(client, ResourceBinding, ref);

/** The binding of a resource, under either of the names that it may have. */
export const bindingAbout = async (
  client: Client,
  resource: NamedResource,
): Promise<Binding | undefined> => {
  const { namespace, kind, name } = resource;
  for (const one of [distinctBindingName(resource), bindingName(kind, name)]) {
    const ref = namespace === undefined ? { name: one } : { namespace, name: one };
    const binding = await getBinding(client, ref);
    if (binding !== undefined && isSameResource(binding.spec.resource, resource)) return binding;
  }
  return undefined;
};

const kindOf = (mapper: RestMapper, { apiVersion, kind }: NamedResource) =>
  mapper.byKind(apiVersion, kind).catch((error: unknown) => {
    if (error instanceof UnknownKindError) return undefined;
    throw error;
  });

/** Resolves an argument such as `deployment/web`; it may also name a binding. */
export const findWork = async (
  client: Client,
  target: string,
  namespace: string,
  mapper = new RestMapper(client),
): Promise<FoundWork> => {
  const { kind: kindName, name } = splitTarget(target);
  if (name === undefined) {
    throw new CommandError(
      EXIT.usage,
      `"${target}" names nothing: say a kind and a name, such as deployment/web`,
    );
  }
  const kind = await mapper.byName(kindName);
  const place = kind.scope === 'Namespaced' ? { namespace } : {};
  const isBinding = BINDING_KINDS.some(
    ({ plural, group }) => plural === kind.plural && group === kind.group,
  );
  if (!isBinding) {
    return { kind, resource: { apiVersion: apiVersionOf(kind), kind: kind.kind, ...place, name } };
  }
  const binding = await getBinding(client, { ...place, name });
  if (binding === undefined) {
    throw new CommandError(EXIT.notFound, `there is no ${kind.kind} ${name}`);
  }
  const { uid: _, resourceVersion: __, ...resource } = binding.spec.resource;
  const servedKind = await kindOf(mapper, resource);
  return { resource, binding, ...present({ kind: servedKind }) };
};
