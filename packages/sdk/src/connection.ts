import { ApiClient } from '@perigee/kube/client/api-client';
import { BriefTransport } from '@perigee/kube/client/brief-transport';
import type { Client } from '@perigee/kube/client/client';
import { checkAddresses } from '@perigee/kube/client/server-url';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ConfigError } from '@perigee/kube/errors';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { loadKubeconfig } from '@perigee/kube/kubeconfig/load-kubeconfig';

export interface ConnectOptions {
  /** A kubeconfig; found as kubectl finds it unless given. */
  readonly kubeconfig?: string;
  /** The context to use, if not the current one. */
  readonly context?: string;
  /** The namespace of flows and claims that name none; that of the context unless given. */
  readonly namespace?: string;
  /** Told of warnings of the server and about the kubeconfig. */
  readonly onWarning?: (text: string) => void;
}

/** Where flows and all the rest go to: an API server that is reached on first use. */
export interface Connection extends AsyncDisposable {
  readonly clock: Clock;
  client(): Promise<Client>;
  namespace(): Promise<string>;
  /** The client of a member cluster. */
  member(cluster: string): Promise<ApiClient>;
}

interface Opened {
  readonly client: ApiClient;
  readonly namespace: string;
}

const open = async ({ onWarning = () => {}, ...choice }: ConnectOptions): Promise<Opened> => {
  const config = await loadClusterConfig({
    env: process.env,
    clock: realClock,
    interactive: false,
    logger: { warn: onWarning },
    ...(choice.kubeconfig === undefined ? {} : { kubeconfig: choice.kubeconfig }),
    ...(choice.context === undefined ? {} : { context: choice.context }),
  });
  checkAddresses(config);
  if (config.proxyUrl !== undefined) {
    throw new ConfigError(
      `the kubeconfig has the proxy ${config.proxyUrl} for ${config.server}, and proxies are not supported here: use a context without one`,
    );
  }
  const options = { clock: realClock, onWarning, userAgent: 'perigee-sdk' };
  const client = new ApiClient(config, new BriefTransport(config), options);
  return { client, namespace: choice.namespace ?? config.namespace ?? 'default' };
};

/** Connects by a kubeconfig. A member is reached by the context of its name. */
export const connectionBy = (options: ConnectOptions): Connection => {
  let opened: Promise<Opened> | undefined;
  const members = new Map<string, Promise<Opened>>();
  const own = (): Promise<Opened> => {
    opened ??= open(options);
    return opened;
  };
  const openMember = async (cluster: string): Promise<Opened> => {
    const { kubeconfig } = options;
    const choice = kubeconfig === undefined ? {} : { kubeconfig };
    const contexts = (await loadKubeconfig({ env: process.env, ...choice }))?.contexts;
    if (contexts?.has(cluster)) return open({ ...options, context: cluster });
    throw new ConfigError(
      `what it printed is in the cluster ${cluster}, and the kubeconfig has no context of that name to reach it by`,
    );
  };
  return {
    clock: realClock,
    client: async () => (await own()).client,
    namespace: async () => options.namespace ?? (await own()).namespace,
    member: async (cluster) => {
      const known = members.get(cluster) ?? openMember(cluster);
      members.set(cluster, known);
      return (await known).client;
    },
    [Symbol.asyncDispose]: async () => {
      const all = [...members.values(), ...(opened === undefined ? [] : [opened])];
      for (const one of await Promise.allSettled(all)) {
        if (one.status === 'fulfilled') await one.value.client[Symbol.asyncDispose]();
      }
    },
  };
};
