import { ignoreNotFound } from '@perigee/kube/errors';
import { present } from '@perigee/schema/present';
import type { ServedResource } from '../resource/served-resource.ts';
import type { Entry } from '../store/store.ts';
import { type DeleteRequest, deleteObject, warnOfOrphans } from './delete.ts';
import { entrySlices, WRITE_SLICE } from './entry-slices.ts';
import { type ListRequest, listObjects } from './list.ts';
import { storedMetaOf } from './metadata.ts';
import { formOf } from './object-form.ts';
import type { Registry } from './registry.ts';

export type DeleteCollectionRequest = ListRequest & Omit<DeleteRequest, 'namespace' | 'name'>;

/**
 * Deletes every object of a list, and returns them as they were. Missing ones are ignored. A long list is deleted
 * in slices, and yields to other requests in between.
 */
export const deleteCollection = async (
  registry: Registry,
  resource: ServedResource,
  request: DeleteCollectionRequest,
): Promise<{ readonly revision: number; readonly entries: readonly Entry[] }> => {
  const { revision, entries } = await listObjects(registry, resource, request);
  warnOfOrphans(registry, resource, request);
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = request;
  const options = {
    ...present({ dryRun, gracePeriodSeconds, propagationPolicy, preconditions }),
  };
  const { read } = formOf(resource);
  const remove = async (entry: Entry): Promise<void> => {
    const { name, namespace } = storedMetaOf(read(entry));
    const target = namespace === undefined ? { name } : { name, namespace };
    await deleteObject(registry, resource, { ...options, ...target }).catch(ignoreNotFound);
  };
  let isFirst = true;
  for (const slice of entrySlices(entries, WRITE_SLICE)) {
    if (!isFirst) await registry.clock.yield();
    isFirst = false;
    await Promise.all(slice.map(remove));
  }
  return { revision, entries };
};
