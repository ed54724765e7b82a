import { invalid } from '@perigee/schema/errors';
import type { JsonObject } from '@perigee/schema/json';
import type { ServedResource } from '../resource/served-resource.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { metaOf, storedMetaOf, withMeta } from './metadata.ts';

/**
 * The replacement of an object, with its UID checked. Controllers set the UID in a patch to reach no other object
 * of the same name, and take an invalid response, rather than a conflict to retry, as a sign that theirs is gone. A
 * write to the status of a custom resource ignores all other fields, and so the UID.
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
