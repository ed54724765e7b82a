import { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';

/** Observations of the versions of bindings since the last call. */
export interface BindingVersions extends AsyncDisposable {
  /** Sorted, each once. */
  take(): readonly string[];
}

/** Looks at each version of the bindings of the default namespace, until it is disposed. */
export const watchBindings = async (
  kubeconfig: string,
  see: (binding: ResourceBinding) => readonly string[],
): Promise<BindingVersions> => {
  const config = await loadClusterConfig({ kubeconfig, env: {}, clock, interactive: false });
  const client = createHttpClient(config, { clock });
  const stop = new AbortController();
  const observations = new Set<string>();
  const watching = (async () => {
    const options = { namespace: 'default', signal: stop.signal };
    for await (const event of client.watch(ResourceBinding, options)) {
      if (event.type === 'BOOKMARK') continue;
      for (const one of see(event.object)) observations.add(one);
    }
  })().catch(() => {});
  return {
    take: () => {
      const result = [...observations].toSorted();
      observations.clear();
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await watching;
      await client[Symbol.asyncDispose]();
    },
  };
};
