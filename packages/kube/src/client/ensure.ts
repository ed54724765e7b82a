import type { WrittenMeta } from '@perigee/api/meta/object-meta';
import type {
  ResourceKind,
  StoredObjectOf,
  WrittenObjectOf,
} from '@perigee/api/meta/resource-kind';
import { isAlreadyExists } from '../errors.ts';
import type { Client, WriteOptions } from './client.ts';
import { refOf } from './ref-of.ts';

export interface EnsureOptions extends WriteOptions {
  /** The fields to patch when the object is there already; absent means that it stays as it is. */
  readonly patch?: object;
}

/**
 * Creates the object, or patches the one that is there. Gives what was written: nothing when the object was there
 * and stays as it is.
 */
export const ensure = async <K extends ResourceKind>(
  client: Pick<Client, 'create' | 'patch'>,
  kind: K,
  object: WrittenObjectOf<K> & { readonly metadata: WrittenMeta },
  { patch, ...options }: EnsureOptions = {},
): Promise<StoredObjectOf<K> | undefined> => {
  try {
    return await client.create(kind, object, options);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return patch && client.patch(kind, refOf(object), { type: 'merge', body: patch }, options);
};
