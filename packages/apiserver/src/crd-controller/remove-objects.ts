import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { servedResources } from '../crd/served-resources.ts';
import { deleteCollection } from '../registry/delete-collection.ts';
import { type Registry, tableOf } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';

/** The version in which the objects of a definition are stored, whether or not it is served. */
const storageResource = (crd: JsonObject): ServedResource | undefined => {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isJsonObject) : [];
  const stored = versions.filter(({ storage }) => storage === true);
  const served = stored.map((version) => ({ ...version, served: true }));
  return servedResources({ ...crd, spec: { ...spec, versions: served } })[0];
};

/**
 * Deletes the objects of a definition. True when none is left; those with finalizers stay until whoever
 * put these there has removed them.
 */
export const removeObjects = async (registry: Registry, crd: JsonObject): Promise<boolean> => {
  const resource = storageResource(crd);
  if (resource === undefined) return true;
  await deleteCollection(registry, resource, {});
  return registry.store.count(tableOf(registry, resource)) === 0;
};

/** Forgets the table of a definition, which ends the watches on it. */
export const dropObjects = async (registry: Registry, crd: JsonObject): Promise<void> => {
  const resource = storageResource(crd);
  if (resource !== undefined) await registry.store.drop(tableOf(registry, resource));
};
