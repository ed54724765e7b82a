import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import { isAlreadyExists, isConflict, isNotFound } from '@perigee/kube/errors';
import { ClusterRole, type ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding, type RoleBindingWritten } from '@perigee/kubernetes/rbac/role-binding';
import { COMPONENT_POLICY } from './component-policy.ts';
import { CONTROLLER_POLICY } from './controller-policy.ts';
import type { PolicySet } from './policy-set.ts';
import { reconcileBinding, reconcileRole } from './reconcile-policy.ts';
import { USER_POLICY } from './user-policy.ts';

const DEFAULT_POLICIES: readonly PolicySet[] = [USER_POLICY, COMPONENT_POLICY, CONTROLLER_POLICY];

const ATTEMPTS = 5;

/** Retries after conflicts. */
const withRetries = async (ensure: () => Promise<unknown>): Promise<void> => {
  for (let attempt = 1; ; attempt++) {
    try {
      await ensure();
      return;
    } catch (error) {
      const hasChanged = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
      if (!hasChanged || attempt === ATTEMPTS) throw error;
    }
  }
};

const ensureRole = async (client: Client, desiredRole: ClusterRoleWritten): Promise<unknown> => {
  const ref = refOf(desiredRole);
  const kind: typeof ClusterRole = ref.namespace === undefined ? ClusterRole : Role;
  const present = await getOrUndefined(client, kind, ref);
  if (present === undefined) return client.create(kind, desiredRole);
  const next = reconcileRole(present, desiredRole);
  return next && client.update(kind, next);
};

const ensureBinding = async (
  client: Client,
  desiredBinding: RoleBindingWritten,
): Promise<unknown> => {
  const ref = refOf(desiredBinding);
  const kind = ref.namespace === undefined ? ClusterRoleBinding : RoleBinding;
  const present = await getOrUndefined(client, kind, ref);
  if (present === undefined) return client.create(kind, desiredBinding);
  const change = reconcileBinding(present, desiredBinding);
  if (change === undefined) return undefined;
  if ('update' in change) return client.update(kind, change.update);
  await client.delete(kind, ref, { preconditions: { uid: present.metadata.uid } });
  return client.create(kind, change.recreate);
};

/**
 * Gives a server the roles and bindings that clients rely on. What exists gets what it lacks, and keeps
 * what it has beyond that. The namespace kube-system must be there. Aggregated roles are filled by their
 * controller.
 * @param kindRoles Roles for the kinds that are installed beside the built-in ones.
 */
export const ensureDefaultPolicy = async (
  client: Client,
  kindRoles: readonly ClusterRoleWritten[] = [],
): Promise<void> => {
  const roles = [...DEFAULT_POLICIES.flatMap((policy) => policy.roles), ...kindRoles];
  const bindings = DEFAULT_POLICIES.flatMap((policy) => policy.bindings);
  await Promise.all(roles.map((role) => withRetries(() => ensureRole(client, role))));
  await Promise.all(bindings.map((binding) => withRetries(() => ensureBinding(client, binding))));
};
