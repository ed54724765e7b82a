import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { ClusterRole } from '@perigee/kubernetes/rbac/cluster-role';
import type { Client } from '../../src/client/client.ts';
import type { ClusterConfig } from '../../src/client/cluster-config.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/client/http-client.ts';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { MemoryClient } from './memory-client.ts';
import { MemoryCluster } from './memory-cluster.ts';
import { TlsApiServer, type TlsApiServerOptions } from './tls-api-server.ts';

export interface FixtureOptions {
  readonly server?: Omit<TlsApiServerOptions, 'client'>;
  readonly config?: Partial<ClusterConfig>;
  readonly client?: Partial<HttpClientOptions>;
}

/** A client, the server that it speaks to, and the cluster behind that server. */
export interface Fixture extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly cluster: MemoryCluster;
  /** Speaks to the cluster without the server. */
  readonly direct: MemoryClient;
  readonly server: TlsApiServer;
  readonly client: Client & AsyncDisposable;
}

/** Starts a server and a client on a virtual clock. Nothing happens to the clock by itself. */
export const startFixture = async (options: FixtureOptions = {}): Promise<Fixture> => {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster({ clock, kinds: [ConfigMap, ClusterRole] });
  const direct = new MemoryClient(cluster);
  const server = await TlsApiServer.start({ ...options.server, client: direct });
  const client = createHttpClient(
    { server: server.url, caBundle: server.ca, ...options.config },
    { clock, deadPeerAfterMs: Number.POSITIVE_INFINITY, ...options.client },
  );
  return {
    clock,
    cluster,
    direct,
    server,
    client,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
};

const LONGEST_WAIT_MS = 10_000;

/** Lets sockets work until the condition holds; gives up when it should have held long ago. */
export const until = async (condition: () => boolean): Promise<void> => {
  const start = performance.now();
  while (!condition()) {
    if (performance.now() - start > LONGEST_WAIT_MS) {
      throw new Error(`the condition did not come true: ${condition}`);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
};
