import { ApiClient } from '@perigee/kube/client/api-client';
import { BriefTransport } from '@perigee/kube/client/brief-transport';
import type { Client } from '@perigee/kube/client/client';
import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import { proxiedConfig } from '@perigee/kube/client/proxied-config';
import { checkAddresses } from '@perigee/kube/client/server-url';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock } from '@perigee/kube/clock/real-clock';
import { ApiError, ConfigError } from '@perigee/kube/errors';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { loadKubeconfig } from '@perigee/kube/kubeconfig/load-kubeconfig';
import { present } from '@perigee/schema/present';

export interface ConnectOptions {
  /** Path of a kubeconfig; by default found as kubectl finds it. */
  readonly kubeconfig?: string;
  /** The context; the current one by default. */
  readonly context?: string;
  /** The namespace of flows and claims that name none; that of the context by default. */
  readonly namespace?: string;
  /** Called with warnings of the server and about the kubeconfig. */
  readonly onWarning?: (text: string) => void;
}

/** A lazy connection to an API server, opened on first use. */
export interface Connection extends AsyncDisposable {
  readonly clock: Clock;
  client(): Promise<Client>;
  namespace(): Promise<string>;
  /** The client of a member cluster. */
  member(cluster: string): Promise<ApiClient>;
}

/** The control plane that plans and runs flows. */
export interface ControlPlane {
  readonly connection: Connection;
}

interface Opened {
  readonly client: ApiClient;
  readonly namespace: string;
}

const configOf = async ({
  onWarning = () => {},
  ...choice
}: ConnectOptions): Promise<ClusterConfig> => {
  const config = await loadClusterConfig({
    env: process.env,
    clock: realClock,
    interactive: false,
    logger: { warn: onWarning },
    ...present({ kubeconfig: choice.kubeconfig, context: choice.context }),
  });
  checkAddresses(config);
  if (config.proxyUrl !== undefined) {
    throw new ConfigError(
      `the kubeconfig has the proxy ${config.proxyUrl} for ${config.server}, and proxies are not supported here: use a context without one`,
    );
  }
  return config;
};

const clientFor = (config: ClusterConfig, { onWarning = () => {} }: ConnectOptions): ApiClient =>
  new ApiClient(config, new BriefTransport(config), {
    clock: realClock,
    onWarning,
    userAgent: 'perigee-sdk',
  });

const open = async (options: ConnectOptions): Promise<Opened> => {
  const config = await configOf(options);
  const namespace = options.namespace ?? config.namespace ?? 'default';
  return { client: clientFor(config, options), namespace };
};

/** Uses the proxy of the control plane, which impersonates the caller in the member. */
const openProxied = async (cluster: string, options: ConnectOptions): Promise<Opened> => {
  const config = await configOf(options);
  const client = clientFor(proxiedConfig(config, cluster), options);
  try {
    await client.caller.text({ method: 'GET', path: '/version' });
  } catch (error) {
    await client[Symbol.asyncDispose]();
    if (!(error instanceof ApiError) || error.code >= 500) throw error;
    throw new ConfigError(
      `what it printed is in the cluster ${cluster}: the kubeconfig has no context of that name, and the control plane has no way to it for you: ${error.message}`,
    );
  }
  return { client, namespace: 'default' };
};

/**
 * Connects by a kubeconfig. A member is reached by the context of its name, or else through the control
 * plane's proxy.
 */
export const connectionBy = (options: ConnectOptions): Connection => {
  let ownConnection: Promise<Opened> | undefined;
  const members = new Map<string, Promise<Opened>>();
  const own = (): Promise<Opened> => {
    ownConnection ??= open(options);
    return ownConnection;
  };
  const openMember = async (cluster: string): Promise<Opened> => {
    const { kubeconfig } = options;
    const choice = present({ kubeconfig });
    const contexts = (await loadKubeconfig({ env: process.env, ...choice }))?.contexts;
    return contexts?.has(cluster)
      ? open({ ...options, context: cluster })
      : openProxied(cluster, options);
  };
  return {
    clock: realClock,
    client: async () => (await own()).client,
    namespace: async () => options.namespace ?? (await own()).namespace,
    member: async (cluster) => {
      const member = members.get(cluster) ?? openMember(cluster);
      members.set(cluster, member);
      return (await member).client;
    },
    [Symbol.asyncDispose]: async () => {
      const all = [...members.values(), ...(ownConnection === undefined ? [] : [ownConnection])];
      for (const one of await Promise.allSettled(all)) {
        if (one.status === 'fulfilled') await one.value.client[Symbol.asyncDispose]();
      }
    },
  };
};

/** The control plane of kubectl's current context. */
export const currentControlPlane: ControlPlane = { connection: connectionBy({}) };
