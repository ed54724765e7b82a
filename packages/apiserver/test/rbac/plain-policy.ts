import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { PolicyRule } from '@perigee/kubernetes/rbac/role';
import type { RoleBinding, Subject } from '@perigee/kubernetes/rbac/role-binding';
import type { Policy } from '../../src/rbac/authorize.ts';

const isMeant = ({ name: user, groups = [] }: UserInfo, subject: Subject, home: string) => {
  const { kind, name, namespace } = subject;
  if (kind === 'User') return name === user;
  if (kind === 'Group') return groups.includes(name);
  const account = namespace || home;
  return account !== '' && user === `system:serviceaccount:${account}:${name}`;
};

/** Looks through all bindings for every question: slow, and too simple to be wrong. */
export const plainPolicy = (
  roles: ReadonlyMap<string, readonly PolicyRule[]>,
  bindings: readonly RoleBinding[],
): Policy => {
  const sorted = bindings.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const inNamespace = (user: UserInfo, namespace: string) =>
    sorted.filter(
      ({ metadata, subjects }) =>
        (metadata.namespace ?? '') === namespace &&
        (subjects ?? []).some((subject) => isMeant(user, subject, namespace)),
    );
  return {
    bindingsOf: (user, namespace) => [
      ...inNamespace(user, ''),
      ...(namespace === '' ? [] : inNamespace(user, namespace)),
    ],
    rulesOf: ({ kind, name }, namespace) =>
      roles.get(kind === 'ClusterRole' ? name : `${namespace}/${name}`),
  };
};
