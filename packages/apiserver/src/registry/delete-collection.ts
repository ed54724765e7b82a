import type { JsonObject } from '@perigee/api/json';
import { isNotFound } from '@perigee/kube/errors';
import type { ServedResource } from '../resource/served-resource.ts';
import { type DeleteRequest, deleteObject } from './delete.ts';
import { type ListRequest, listObjects } from './list.ts';
import { storedMetaOf } from './metadata.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';

export type DeleteCollectionRequest = ListRequest & Omit<DeleteRequest, 'namespace' | 'name'>;

/** Deletes every object of a list, and gives them back as they were. One that is gone already is fine. */
export const deleteCollection = async (
  registry: Registry,
  resource: ServedResource,
  request: DeleteCollectionRequest,
): Promise<{ readonly revision: number; readonly objects: readonly JsonObject[] }> => {
  const { revision, entries } = listObjects(registry, resource, request);
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = request;
  const options = {
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
  const { read } = formOf(resource);
  const objects = entries.map(read);
  await Promise.all(
    objects.map(async (object) => {
      const { name, namespace } = storedMetaOf(object);
      const target = namespace === undefined ? { name } : { name, namespace };
      try {
        await deleteObject(registry, resource, { ...options, ...target });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }),
  );
  return { revision, objects };
};
