import type { ResourceKind, StoredObjectOf } from '@perigee/api/meta/resource-kind';
import { ignoreNotFound } from '../errors.ts';
import type { Client, GetOptions, ObjectRef } from './client.ts';

/** The object as the server has it now; nothing when there is none. A kind that is not served is an error. */
export const getOrUndefined = <K extends ResourceKind>(
  client: Pick<Client, 'get'>,
  kind: K,
  ref: ObjectRef,
  options?: GetOptions,
): Promise<StoredObjectOf<K> | undefined> => client.get(kind, ref, options).catch(ignoreNotFound);
