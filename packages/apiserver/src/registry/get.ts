import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { notFound } from '../status/object-refusals.ts';
import type { Entry } from '../store/store.ts';
import { formOf } from './object-form.ts';
import { keyOf, type Registry, tableOf } from './registry.ts';
import { readScale } from './scale.ts';
import { isExact } from './version-match.ts';
import { atRevision, checkReached, parseVersion } from './versions.ts';

export interface GetRequest {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: string;
  readonly resourceVersion?: string;
  /** With `Exact`, the state at that version, which Kubernetes offers for lists only. */
  readonly resourceVersionMatch?: string;
}

/** The state of a key at a revision: the first of all keys that begin like it, if it was there. */
const entryAt = ({ store }: Registry, table: string, key: string, revision: number) => {
  const options = { prefix: key, limit: 1, revision };
  const [entry] = atRevision(store, revision, () => store.range(table, options)).entries;
  return entry?.key === key ? entry : undefined;
};

const find = (registry: Registry, resource: ServedResource, request: GetRequest): Entry => {
  const { namespace, name, resourceVersion } = request;
  const version = parseVersion(resourceVersion);
  checkReached(registry.store, version);
  const table = tableOf(registry, resource);
  const key = keyOf(namespace, name);
  const isExactRead = request.resourceVersionMatch === 'Exact' && isExact(request);
  const exact = isExactRead ? version : undefined;
  const entry =
    exact === undefined ? registry.store.get(table, key) : entryAt(registry, table, key, exact);
  if (entry === undefined) throw notFound(resource, name);
  return entry;
};

const show = (resource: ServedResource, entry: Entry, { subresource }: GetRequest): JsonObject => {
  const object = formOf(resource).read(entry);
  return subresource === 'scale' ? readScale(resource, object) : object;
};

/** The newest state of an object without conversion, even if the request would accept an older one. */
export const getObject = (
  registry: Registry,
  resource: ServedResource,
  request: GetRequest,
): JsonObject => show(resource, find(registry, resource, request), request);

/** The newest state of any object; a conversion is not cached, so that it reflects the present webhook. */
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
