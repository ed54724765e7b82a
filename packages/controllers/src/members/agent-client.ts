import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import { executionNamespace } from '@perigee/api/values/karmada-names';
import type { Client } from '@perigee/kube/client/client';

/** Narrows a client to an agent's rights: its own Cluster, and otherwise only its execution namespace. */
export const agentClient = (client: Client, cluster: string): Client => {
  const namespace = executionNamespace(cluster);
  const scopeOf = (kind: ResourceKind): { namespace?: string; fieldSelector?: string } => {
    if (kind.scope === 'Namespaced') return { namespace };
    const isCluster = kind.group === MemberCluster.group && kind.plural === MemberCluster.plural;
    return isCluster ? { fieldSelector: `metadata.name=${cluster}` } : {};
  };
  return {
    get: (kind, ref, options) => client.get(kind, ref, options),
    list: (kind, options) => client.list(kind, { ...options, ...scopeOf(kind) }),
    watch: (kind, options) => client.watch(kind, { ...options, ...scopeOf(kind) }),
    create: (kind, object, options) => client.create(kind, object, options),
    update: (kind, object, options) => client.update(kind, object, options),
    patch: (kind, ref, patch, options) => client.patch(kind, ref, patch, options),
    delete: (kind, ref, options) => client.delete(kind, ref, options),
    deleteCollection: (kind, options) =>
      client.deleteCollection(kind, { ...options, ...scopeOf(kind) }),
    discover: (options) => client.discover(options),
    version: (options) => client.version(options),
  };
};
