import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import type { Client, ObjectRef, WriteOptions } from './client.ts';
import { refOf } from './ref-of.ts';

interface Versioned {
  readonly metadata: ObjectRef & { readonly resourceVersion?: string };
}

/**
 * Changes the given fields of the status, and removes those that are null. Refused as a conflict if the object
 * is no longer as it was read; given without a resource version, it is written whatever happened to it since.
 */
export const patchStatus = <K extends ResourceKind>(
  client: Pick<Client, 'patch'>,
  kind: K,
  object: Versioned,
  status: object,
  options: Omit<WriteOptions, 'subresource'> = {},
): Promise<StoredObjectOf<K>> => {
  const { resourceVersion } = object.metadata;
  const body =
    resourceVersion === undefined ? { status } : { metadata: { resourceVersion }, status };
  return client.patch(
    kind,
    refOf(object),
    { type: 'merge', body },
    { ...options, subresource: 'status' },
  );
};
