import type { Client } from '@perigee/kube/client/client';
import { isAlreadyExists } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';

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
