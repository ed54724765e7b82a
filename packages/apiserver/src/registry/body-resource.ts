import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { goForm } from '@perigee/kubernetes/types/go-form';
import { typeOfKind } from '@perigee/kubernetes/types/kind-types';
import { schemaOf } from '@perigee/kubernetes/types/schema-of';
import { subresourcesOf } from '../discovery/subresources.ts';
import type { ServedResource } from '../resource/served-resource.ts';

const resourceCache = new WeakMap<ServedResource, Map<string, ServedResource>>();

/** Resource in the bodies of requests to a subresource, if its kind differs from the object's. */
export const bodyResource = (
  resource: ServedResource,
  subresource: string | undefined,
): ServedResource => {
  const part = subresourcesOf(resource).find(({ name }) => name === subresource);
  const type = part && typeOfKind(apiVersionOf(part), part.kind);
  if (part === undefined || type === undefined || part.kind === resource.kind) return resource;
  const bodies = resourceCache.get(resource) ?? new Map<string, ServedResource>();
  resourceCache.set(resource, bodies);
  const { group, version, kind } = part;
  const { conversion, versions, ...rest } = resource;
  const resourceOfBody = bodies.get(kind) ?? {
    ...rest,
    group,
    version,
    kind,
    schema: schemaOf(type),
    origin: 'built-in',
    hasStatus: false,
    strategy: { defaults: goForm(type) },
  };
  bodies.set(kind, resourceOfBody);
  return resourceOfBody;
};
