import type { Client } from '@perigee/kube/client/client';
import { loadKubeconfig } from '@perigee/kube/kubeconfig/load-kubeconfig';
import { type Connection, openConnection } from '../../connect.ts';
import type { ServerChoice } from '../../open-client.ts';
import type { MemberAccess } from './read-member.ts';

/** Members by the contexts of their names, which `perigee up` writes for its own. */
export const accessByContexts = async ({
  kubeconfig,
}: ServerChoice): Promise<MemberAccess & AsyncDisposable> => {
  const choice = kubeconfig === undefined ? {} : { kubeconfig };
  const userConfig = await loadKubeconfig({ env: process.env, ...choice }).catch(() => undefined);
  const connections: Connection[] = [];
  return {
    open: async (cluster): Promise<Client | { readonly hidden: string }> => {
      if (!userConfig?.contexts.has(cluster)) {
        return { hidden: `the kubeconfig has no context named ${cluster}` };
      }
      const connection = await openConnection({ ...choice, context: cluster });
      connections.push(connection);
      return connection.client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const connection of connections) await connection[Symbol.asyncDispose]();
    },
  };
};
