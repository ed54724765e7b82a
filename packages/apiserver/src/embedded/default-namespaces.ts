import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';

const Namespace: ResourceKind<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
};

const NAMES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates the namespaces that every cluster has, where they are missing. */
export const ensureDefaultNamespaces = async (client: Client): Promise<void> => {
  await Promise.all(NAMES.map((name) => ensure(client, Namespace, { metadata: { name } })));
};
