import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { Subject } from '@perigee/kubernetes/rbac/role-binding';

const userKey = (name: string): string => `user ${name}`;
const groupKey = (name: string): string => `group ${name}`;

/**
 * Identity of a subject. A service account is the user of that name. A service account without a namespace gets the
 * binding's; undefined if the subject matches nobody.
 */
export const subjectKey = (
  { kind, name, namespace }: Subject,
  bindingNamespace: string,
): string | undefined => {
  switch (kind) {
    case 'User':
      return userKey(name);
    case 'Group':
      return groupKey(name);
    case 'ServiceAccount': {
      const home = namespace || bindingNamespace;
      return home === '' ? undefined : userKey(`system:serviceaccount:${home}:${name}`);
    }
    default:
      return undefined;
  }
};

/** The keys of all subjects that mean a user. */
export const keysOfUser = ({ name, groups = [] }: UserInfo): readonly string[] => [
  ...new Set([userKey(name), ...groups.map(groupKey)]),
];
