import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Namespace } from '@perigee/kubernetes/core/namespace';
import { Secret } from '@perigee/kubernetes/core/secret';
import type { LoadOrder } from './apiserver-protocol.ts';
import { Child } from './child.ts';

/** A kube-apiserver under the same load; it is left as it was found. */
export interface KubeApiserver extends AsyncDisposable {
  readonly name: string;
  readonly load: Child<LoadOrder, number>;
}

/** The server of the kubeconfig that `PERIGEE_BENCH_KUBECONFIG` names, if it names one. */
export const openKubeApiserver = async (
  env: NodeJS.ProcessEnv,
): Promise<KubeApiserver | undefined> => {
  const { PERIGEE_BENCH_KUBECONFIG: kubeconfig } = env;
  if (kubeconfig === undefined) return undefined;
  const config = await loadClusterConfig({ kubeconfig, env, clock: realClock });
  const { server, caBundle: ca, tlsServerName: serverName } = config;
  const { authorization, certificate } = (await config.credentials?.()) ?? {};
  await using stack = new AsyncDisposableStack();
  const client = stack.use(createHttpClient(config, { clock: realClock }));
  const { gitVersion } = await client.version();
  const namespace = `perigee-bench-${process.pid}`;
  await client.create(Namespace, { metadata: { name: namespace } });
  stack.defer(async () => {
    // Without its controllers a server never ends a namespace: empty it before.
    await client.deleteCollection(ConfigMap, { namespace });
    await client.deleteCollection(Secret, { namespace });
    await client.delete(Namespace, { name: namespace });
  });
  const load = stack.use(new Child<LoadOrder, number>('./apiserver-load.ts'));
  const target = {
    server,
    namespace,
    ...(ca && { ca }),
    ...(serverName && { serverName }),
    ...(authorization && { authorization }),
    ...(certificate && { certificate }),
  };
  await load.ask({ task: 'prepare', target });
  const resources = stack.move();
  return {
    name: `kube-apiserver ${gitVersion}`,
    load,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
