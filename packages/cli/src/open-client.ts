import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import type { Logger } from '@perigee/kube/observe/logger';
import { present } from '@perigee/schema/present';

/** Options that select a server; by default it is found as kubectl does. */
export interface ServerChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** A client for long-running processes: it retries, as no user is there to be asked. */
export const openClient = async (
  { kubeconfig, context }: ServerChoice,
  logger: Logger,
): Promise<Client & AsyncDisposable> => {
  const config = await loadClusterConfig({
    env: process.env,
    clock,
    interactive: false,
    logger,
    ...present({ kubeconfig, context }),
  });
  return createHttpClient(config, { clock, logger });
};
