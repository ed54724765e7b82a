import type { Client } from '@perigee/kube/client/client';
import { ensure } from '@perigee/kube/client/ensure';
import { Namespace } from '@perigee/kubernetes/core/namespace';

const NAMES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Creates the namespaces that every cluster has, where they are missing. */
export const ensureDefaultNamespaces = async (client: Client): Promise<void> => {
  await Promise.all(NAMES.map((name) => ensure(client, Namespace, { metadata: { name } })));
};
