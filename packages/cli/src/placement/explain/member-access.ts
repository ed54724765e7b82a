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
  const known = await loadKubeconfig({ env: process.env, ...choice }).catch(() => undefined);
  const opened: Connection[] = [];
  return {
    open: async (cluster): Promise<Client | { readonly hidden: string }> => {
      if (!known?.contexts.has(cluster)) {
        return { hidden: `the kubeconfig has no context named ${cluster}` };
      }
      const connection = await openConnection({ ...choice, context: cluster });
      opened.push(connection);
      return connection.client;
    },
    [Symbol.asyncDispose]: async () => {
      for (const connection of opened) await connection[Symbol.asyncDispose]();
    },
  };
};
