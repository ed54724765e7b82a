import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { ResourceKind } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import { isAlreadyExists } from '@perigee/kube/errors';

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
  const ensure = async (name: string): Promise<void> => {
    try {
      await client.create(Namespace, { metadata: { name } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  };
  await Promise.all(NAMES.map(ensure));
};
