import type { JsonObject } from '@perigee/api/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { notFound } from '../status/object-refusals.ts';
import type { Entry } from '../store/store.ts';
import { formOf } from './object-form.ts';
import { keyOf, type Registry, tableOf } from './registry.ts';
import { readScale } from './scale.ts';
import { checkReached, parseVersion } from './versions.ts';

export interface GetRequest {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
  readonly resourceVersion?: string;
}

const find = (
  registry: Registry,
  resource: ServedResource,
  { namespace, name, resourceVersion }: GetRequest,
): Entry => {
  checkReached(registry.store, parseVersion(resourceVersion));
  const entry = registry.store.get(tableOf(registry, resource), keyOf(namespace, name));
  if (entry === undefined) throw notFound(resource, name);
  return entry;
};

const show = (resource: ServedResource, entry: Entry, { subresource }: GetRequest): JsonObject => {
  const object = formOf(resource).read(entry);
  return subresource === 'scale' ? readScale(resource, object) : object;
};

/** The newest state, whatever older version would do, of an object that needs no conversion. */
export const getObject = (
  registry: Registry,
  resource: ServedResource,
  request: GetRequest,
): JsonObject => show(resource, find(registry, resource, request), request);

/** The newest state of any object; a conversion is made anew, so that it is what its webhook says now. */
export const getConverted = async (
  registry: Registry,
  resource: ServedResource,
  request: GetRequest,
): Promise<JsonObject> => {
  const entry = find(registry, resource, request);
  const { versions } = formOf(resource);
  if (versions !== undefined) await versions.convert([entry], true);
  return show(resource, entry, request);
};
