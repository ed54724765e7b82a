import { ApiClient } from '@perigee/kube/client/api-client';
import { BriefTransport } from '@perigee/kube/client/brief-transport';
import type { ClusterConfig } from '@perigee/kube/client/cluster-config';
import { checkAddresses } from '@perigee/kube/client/server-url';
import type { Transport } from '@perigee/kube/client/transport';
import type { Clock } from '@perigee/kube/clock/clock';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import { canBeName } from './object-names.ts';
import type { ServerChoice } from './open-client.ts';
import { notify } from './output/notify.ts';

const PATIENCE_MS = 1_000;
const ERASE_LINE = '\r\u001b[K';

/** Shows a "waiting for" line with the elapsed time on a terminal until it is disposed. */
const waitingFor = (what: string, clock: Clock): Disposable => {
  const startMs = clock.monotonic();
  let timer: Disposable | undefined;
  let isShown = false;
  const show = (): void => {
    const seconds = Math.round((clock.monotonic() - startMs) / 1000);
    process.stderr.write(`${ERASE_LINE}perigee: waiting for ${what} … ${seconds} s`);
    isShown = true;
    timer = clock.timer(PATIENCE_MS, show);
  };
  timer = clock.timer(PATIENCE_MS, show);
  return {
    [Symbol.dispose]: () => {
      timer?.[Symbol.dispose]();
      if (isShown) process.stderr.write(ERASE_LINE);
    },
  };
};

/** A transport that shows on a terminal what slow requests wait for. */
const withProgress = (transport: Transport, what: string, clock: Clock): Transport =>
  process.stderr.isTTY
    ? {
        send: async (...request) => {
          using _ = waitingFor(what, clock);
          return await transport.send(...request);
        },
        [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
      }
    : transport;

/** The connection to the user's server. */
export interface Connection extends AsyncDisposable {
  readonly client: ApiClient;
  /** The namespace of the context, used when no option names one. */
  readonly namespace: string;
  readonly config: ClusterConfig;
}

interface ConnectionOptions extends ServerChoice {
  /** The namespace that the user names, of commands that have that option. */
  readonly namespace?: string;
}

const RETRY = { attempts: 2, longestRetryAfterMs: 5_000 };
const DEAD_PEER_AFTER_MS = 45_000;

const MOST_REMEMBERED = 100;
const earlierWarnings = new Set<string>();

/** Prints each warning once, however many requests get it. */
const warn = (text: string): void => {
  if (earlierWarnings.has(text)) return;
  if (earlierWarnings.size < MOST_REMEMBERED) earlierWarnings.add(text);
  notify(`warning: ${text}`);
};

/** Proxies need the full HTTP library; everything else uses a transport that loads faster. */
const openTransport = async (config: ClusterConfig): Promise<Transport> => {
  if (config.proxyUrl === undefined) return new BriefTransport(config);
  const { HttpTransport } = await import('@perigee/kube/client/http-transport');
  return new HttpTransport(config, { clock, deadPeerAfterMs: DEAD_PEER_AFTER_MS });
};

/** Opens the server that the options select. A person waits, so retries are short. */
export const openConnection = async ({
  kubeconfig,
  context,
  namespace,
}: ConnectionOptions): Promise<Connection> => {
  if (namespace !== undefined && !canBeName(namespace)) {
    const { CommandError } = await import('./errors.ts');
    throw new CommandError(EXIT.usage, `"${namespace}" cannot be the name of a namespace`);
  }
  const config = await loadClusterConfig({
    env: process.env,
    clock,
    interactive: process.stdin.isTTY,
    logger: { warn },
    ...present({ kubeconfig, context }),
  });
  return connectTo(config);
};

/** Opens the server of a configuration. */
export const connectTo = async (config: ClusterConfig): Promise<Connection> => {
  checkAddresses(config);
  const transport = withProgress(await openTransport(config), config.server, clock);
  const client = new ApiClient(config, transport, { clock, onWarning: warn, retry: RETRY });
  return {
    client,
    namespace: config.namespace ?? 'default',
    config,
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
};

/** A client for the server that the options of a command name. */
export const connect = async (command: Command): Promise<ApiClient> =>
  (await openConnection(command.optsWithGlobals())).client;
