import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import type { Command } from 'commander';

interface ConnectionOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

const warn = (text: string): void => {
  process.stderr.write(`perigee: warning: ${text}\n`);
};

/** A client for the server that the user means. A person waits, so nothing is tried again for long. */
export const connect = async (command: Command): Promise<Client & AsyncDisposable> => {
  const { kubeconfig, context } = command.optsWithGlobals<ConnectionOptions>();
  const config = await loadClusterConfig({
    env: process.env,
    clock: realClock,
    interactive: process.stdin.isTTY,
    logger: { warn },
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  const retry = { attempts: 2, longestRetryAfterMs: 5_000 };
  return createHttpClient(config, { clock: realClock, onWarning: warn, retry });
};
