import type { KubeObject } from '@perigee/api/meta/object-meta';
import type {
  ResourceKind,
  StoredObjectOf,
  WrittenObjectOf,
} from '@perigee/api/meta/resource-kind';
import { sameJson } from '@perigee/schema/same-json';
import type { Client, WriteOptions } from './client.ts';

interface WithStatus {
  readonly status?: unknown;
}

/**
 * Gives the object this status in place of the one that it has; writes nothing if they are equal. Refused as a
 * conflict if the object is no longer as it was read. For whoever writes all of the status; `patchStatus` is for
 * who writes some fields.
 */
export const replaceStatus = async <K extends ResourceKind>(
  client: Pick<Client, 'update'>,
  kind: K,
  object: StoredObjectOf<K> & KubeObject & WithStatus,
  status: NonNullable<(StoredObjectOf<K> & WithStatus)['status']>,
  options: Omit<WriteOptions, 'subresource'> = {},
): Promise<StoredObjectOf<K>> => {
  if (sameJson(status, object.status)) return object;
  const next = { ...object, status } as unknown as WrittenObjectOf<K>;
  return client.update(kind, next, { ...options, subresource: 'status' });
};
