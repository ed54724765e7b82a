import { invalid } from '@perigee/api/errors';
import type { JsonObject } from '@perigee/api/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { metaOf, storedMetaOf } from './metadata.ts';

/**
 * Controllers name the UID in a patch to reach no other object of the same name, and take the answer
 * that it is invalid, rather than a conflict to try again, for a sign that theirs is gone.
 */
export const checkUid = (resource: ServedResource, proposed: JsonObject, old: JsonObject): void => {
  const { uid } = metaOf(proposed);
  const { name, uid: present } = storedMetaOf(old);
  if (!uid || uid === present) return;
  throw invalidObject(resource, name, [invalid('metadata.uid', uid, 'field is immutable')]);
};
