import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt, textsAt } from '@perigee/schema/json-fields';
import { present, unlessEmpty } from '@perigee/schema/present';

/** The user that the spec of an access review asks about. */
export const userIn = (spec: JsonObject): UserInfo => ({
  name: textAt(spec, 'user'),
  uid: textAt(spec, 'uid'),
  groups: textsAt(spec, 'groups'),
  extra: Object.fromEntries(
    Object.keys(objectAt(spec, 'extra')).map((key) => [key, textsAt(objectAt(spec, 'extra'), key)]),
  ),
});

/** A user as the authentication kinds show them: without what is empty. */
export const shownUser = ({ name, uid = '', groups = [], extra = {} }: UserInfo): JsonObject =>
  present({
    username: unlessEmpty(name),
    uid: unlessEmpty(uid),
    groups: unlessEmpty(groups),
    extra: Object.keys(extra).length > 0 ? extra : undefined,
  });
