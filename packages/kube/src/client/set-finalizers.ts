import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import type { Client, WriteOptions } from './client.ts';
import { refOf } from './ref-of.ts';

/**
 * Gives the object these finalizers, as `addFinalizer` and `removeFinalizer` make them; writes nothing if they are
 * the ones that it has. Refused as a conflict if the object is no longer as it was read.
 */
export const setFinalizers = async <K extends ResourceKind>(
  client: Pick<Client, 'patch'>,
  kind: K,
  object: StoredObjectOf<K> & KubeObject,
  finalizers: readonly string[],
  options?: WriteOptions,
): Promise<StoredObjectOf<K>> => {
  const { resourceVersion, finalizers: present = [] } = object.metadata;
  const isSame =
    finalizers.length === present.length && finalizers.every((one, at) => one === present[at]);
  if (isSame) return object;
  const body = { metadata: { resourceVersion, finalizers } };
  return client.patch(kind, refOf(object), { type: 'merge', body }, options);
};
