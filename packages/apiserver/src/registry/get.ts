import type { JsonObject } from '@perigee/api/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { notFound } from '../status/object-refusals.ts';
import { formOf } from './object-form.ts';
import { keyOf, type Registry, tableOf } from './registry.ts';
import { scaleOf } from './scale.ts';
import { checkReached, parseVersion } from './versions.ts';

export interface GetRequest {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
  readonly resourceVersion?: string;
}

/** The newest state, whatever older version would do. */
export const getObject = (
  registry: Registry,
  resource: ServedResource,
  { namespace, name, subresource, resourceVersion }: GetRequest,
): JsonObject => {
  checkReached(registry.store, parseVersion(resourceVersion));
  const entry = registry.store.get(tableOf(registry, resource), keyOf(namespace, name));
  if (entry === undefined) throw notFound(resource, name);
  const object = formOf(resource).read(entry);
  return subresource === 'scale' ? scaleOf(resource, object) : object;
};
