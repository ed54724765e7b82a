import { invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { metaOf, storedMetaOf, withMeta } from './metadata.ts';

/**
 * What is to replace an object, which has to be the one that it names by its UID. Controllers name the UID
 * in a patch to reach no other object of the same name, and take the answer that it is invalid, rather than
 * a conflict to try again, for a sign that theirs is gone. Of what comes with the status of a custom
 * resource nothing else is read, and so not the UID.
 */
export const withKnownUid = (
  resource: ServedResource,
  proposed: JsonObject,
  old: JsonObject,
  subresource?: string,
): JsonObject => {
  const { uid, ...meta } = metaOf(proposed);
  const { name, uid: present } = storedMetaOf(old);
  if (!uid || uid === present) return proposed;
  if (resource.origin === 'crd' && subresource === 'status') return withMeta(proposed, meta);
  throw invalidObject(resource, name, [invalid('metadata.uid', uid, 'field is immutable')]);
};
