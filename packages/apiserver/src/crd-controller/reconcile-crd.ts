import { hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import type { ReconcileResult } from '@perigee/kube/controller/define-controller';
import { CustomResourceDefinition } from '@perigee/kubernetes/apiextensions/custom-resource-definition';
import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { formatTime } from '@perigee/schema/values/time';
import { namesInUse } from '../crd/accept-names.ts';
import { nextCrdStatus } from '../crd/crd-status.ts';
import { CLEANUP_FINALIZER } from '../crd/crd-strategy.ts';
import { servedResources } from '../crd/served-resources.ts';
import { deleteCollection } from '../registry/delete-collection.ts';
import { type Registry, tableOf } from '../registry/registry.ts';
import type { ServedResource } from '../resource/served-resource.ts';
import { crdJson } from './crd-json.ts';
import type { CustomResources } from './custom-resources.ts';

/** The version in which the objects of a definition are stored, whether or not it is served. */
const storageResource = (crd: JsonObject): ServedResource | undefined => {
  const spec = isJsonObject(crd.spec) ? crd.spec : {};
  const versions = Array.isArray(spec.versions) ? spec.versions.filter(isJsonObject) : [];
  const storageVersions = versions.filter(({ storage }) => storage === true);
  const servedVersions = storageVersions.map((version) => ({ ...version, served: true }));
  return servedResources({ ...crd, spec: { ...spec, versions: servedVersions } })[0];
};

/**
 * Deletes the objects of a definition. True if none remains; objects with finalizers stay until the owners of these
 * have removed them.
 */
const removeObjects = async (registry: Registry, crd: JsonObject): Promise<boolean> => {
  const resource = storageResource(crd);
  if (resource === undefined) return true;
  await deleteCollection(registry, resource, {});
  return registry.store.count(tableOf(registry, resource)) === 0;
};

/** Forgets the table of a definition, which ends the watches on it. */
const dropObjects = async (registry: Registry, crd: JsonObject): Promise<void> => {
  const resource = storageResource(crd);
  if (resource !== undefined) await registry.store.drop(tableOf(registry, resource));
};

/** Dependencies of the reconcile. */
export interface CrdWorld {
  readonly registry: Registry;
  readonly client: Client;
  readonly customResources: CustomResources;
}

/** Interval at which a definition under deletion is checked for remaining objects. */
const RECHECK_MS = 500;

/** Lists from the server itself, whose names are current, rather than from a cache. */
const groupOf = async (client: Client, { spec }: CustomResourceDefinition) => {
  const { items } = await client.list(CustomResourceDefinition);
  return items.filter((other) => other.spec.group === spec.group).map(crdJson);
};

/** Serves the definition and then updates its status, in this order: readers of the status can use it. */
const publish = async (
  { registry, client, customResources }: CrdWorld,
  crd: CustomResourceDefinition,
): Promise<CustomResourceDefinition> => {
  const { name, deletionTimestamp } = crd.metadata;
  const status = nextCrdStatus(crdJson(crd), {
    inUse: namesInUse(await groupOf(client, crd), String(crd.spec.group), name),
    now: formatTime(registry.clock.now()),
    ...(deletionTimestamp === undefined ? {} : { deletion: 'in-progress' }),
  });
  const next = { ...crd, status };
  customResources.show(crdJson(next));
  return status === crd.status
    ? crd
    : client.update(CustomResourceDefinition, next, { subresource: 'status' });
};

/** Removes the objects of a definition, then what is left of it. */
const end = async (
  { registry, client, customResources }: CrdWorld,
  crd: CustomResourceDefinition,
): Promise<ReconcileResult> => {
  if (!(await removeObjects(registry, crdJson(crd)))) return { requeueAfterMs: RECHECK_MS };
  const { name, finalizers } = crd.metadata;
  customResources.hide(name);
  await dropObjects(registry, crdJson(crd));
  const remainingFinalizers = removeFinalizer(finalizers, CLEANUP_FINALIZER);
  await setFinalizers(client, CustomResourceDefinition, crd, remainingFinalizers);
  return undefined;
};

/** Reconciles the served resources with a definition. */
export const reconcileCrd = async (world: CrdWorld, name: string): Promise<ReconcileResult> => {
  const crd = await getOrUndefined(world.client, CustomResourceDefinition, { name });
  if (crd === undefined) {
    world.customResources.hide(name);
    return undefined;
  }
  const isEnding = crd.metadata.deletionTimestamp !== undefined;
  if (isEnding && !hasFinalizer(crd, CLEANUP_FINALIZER)) {
    world.customResources.hide(name);
    return undefined;
  }
  const publishedCrd = await publish(world, crd);
  return isEnding ? end(world, publishedCrd) : undefined;
};
