import { apiVersionOf, type ResourceKind } from '@perigee/api/meta/resource-kind';
import { checkPlace, type ResourceTarget } from '@perigee/kube/client/resource-path';
import { NOT_SERVED } from '@perigee/kube/errors';
import { allowsVerb } from '../registry/allows-verb.ts';
import type { Registry } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { refusal } from '../status/refusal.ts';
import {
  actionNotSupported,
  methodNotAllowed,
  unknownResource,
} from '../status/request-refusals.ts';

type Place = Pick<ResourceTarget, 'namespace' | 'name'>;

/** A caller may be wrong about where objects of a kind are; the path that it means is then none. */
const refusePath = ({ scope }: ServedResource, verb: string, { namespace, name }: Place): void => {
  if (scope === 'Cluster' && namespace !== undefined) throw unknownResource();
  if (scope !== 'Namespaced' || namespace !== undefined) return;
  if (name !== undefined) throw unknownResource();
  if (verb === 'create') throw methodNotAllowed();
};

/**
 * The resource that the registry serves for a kind; throws the error of `isNotServed`, or a 405. A namespace or
 * name that cannot be part of a path is refused, as by an HTTP client.
 */
export const servedAs = (
  { resources }: Registry,
  kind: ResourceKind,
  verb: string,
  place: Place = {},
): ServedResource => {
  checkPlace(kind, place);
  const resource = resources.find(kind);
  if (resource !== undefined) {
    if (resource.scope !== kind.scope) refusePath(resource, verb, place);
    if (allowsVerb(resource, verb)) return resource;
    throw actionNotSupported(resource, verb);
  }
  throw refusal(
    404,
    NOT_SERVED,
    `this server does not serve ${kind.plural} in ${apiVersionOf(kind)}; install its CustomResourceDefinition, or use a version that is served`,
  );
};
