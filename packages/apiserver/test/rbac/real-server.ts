import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { isNotFound } from '@perigee/kube/errors';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { ClusterRole, type ClusterRoleWritten } from '@perigee/kubernetes/rbac/cluster-role';
import { ClusterRoleBinding } from '@perigee/kubernetes/rbac/cluster-role-binding';
import { Role } from '@perigee/kubernetes/rbac/role';
import { RoleBinding, type RoleBindingWritten } from '@perigee/kubernetes/rbac/role-binding';
import { Namespace } from '../registry/registry-fixture.ts';

const kubeconfig = process.env.PERIGEE_TEST_KUBECONFIG ?? '';

/** Why tests against a real server do not run; false when they do. */
export const skip = kubeconfig ? false : 'set PERIGEE_TEST_KUBECONFIG to a cluster with RBAC';

/** A client of the real server, as its administrator or as somebody else. */
export const realClient = async (user?: UserInfo): Promise<Client & AsyncDisposable> => {
  const config = await loadClusterConfig({ env: {}, kubeconfig, clock: realClock });
  const { name, groups = [] } = user ?? {};
  const impersonate = name === undefined ? {} : { impersonate: { user: name, groups } };
  return createHttpClient({ ...config, ...impersonate }, { clock: realClock });
};

export interface PolicyTable {
  readonly namespaces: readonly string[];
  readonly roles: readonly ClusterRoleWritten[];
  readonly bindings: readonly RoleBindingWritten[];
}

export const writePolicy = async (client: Client, { namespaces, roles, bindings }: PolicyTable) => {
  for (const name of namespaces) await client.create(Namespace, { metadata: { name } });
  for (const role of roles) {
    const kind: typeof ClusterRole = role.metadata.namespace === undefined ? ClusterRole : Role;
    await client.create(kind, role);
  }
  for (const binding of bindings) {
    const kind = binding.metadata.namespace === undefined ? ClusterRoleBinding : RoleBinding;
    await client.create(kind, binding);
  }
};

const unlessGone = async (deletion: Promise<void>): Promise<void> => {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
};

export const removePolicy = async (
  client: Client,
  { namespaces, roles, bindings }: PolicyTable,
) => {
  for (const { metadata } of bindings) {
    const { name = '', namespace } = metadata;
    const ref = namespace === undefined ? { name } : { name, namespace };
    const kind = namespace === undefined ? ClusterRoleBinding : RoleBinding;
    await unlessGone(client.delete(kind, ref));
  }
  for (const { metadata } of roles) {
    const { name = '', namespace } = metadata;
    const ref = namespace === undefined ? { name } : { name, namespace };
    await unlessGone(client.delete(namespace === undefined ? ClusterRole : Role, ref));
  }
  for (const name of namespaces) await unlessGone(client.delete(Namespace, { name }));
};
