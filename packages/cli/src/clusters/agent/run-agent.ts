import type { Client } from '@perigee/kube/client/client';
import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { inClusterConfig } from '@perigee/kube/kubeconfig/in-cluster';
import { createLogger, type Logger } from '@perigee/kube/observe/logger';
import { present } from '@perigee/schema/present';
import { checkName } from '../../check-name.ts';
import { openClient, type ServerChoice } from '../../open-client.ts';
import { untilAskedToStop } from '../../until-asked-to-stop.ts';
import { type Registration, startAgent } from './start-agent.ts';

/** Options of the agent; the server is the control plane. */
export interface RunAgentOptions extends Registration, ServerChoice {
  /** The name of the cluster in the control plane. */
  readonly cluster: string;
  /** By default the agent manages the cluster in which it runs. */
  readonly memberKubeconfig?: string;
  readonly memberContext?: string;
}

const openMember = async (
  { memberKubeconfig: kubeconfig, memberContext: context }: RunAgentOptions,
  logger: Logger,
): Promise<Client & AsyncDisposable> => {
  if (kubeconfig !== undefined) {
    return openClient({ kubeconfig, ...present({ context }) }, logger);
  }
  return createHttpClient(await inClusterConfig({ clock, env: process.env, logger }), {
    clock,
    logger,
  });
};

/** Runs the agent of a cluster in the foreground until the user stops it. */
export const runAgent = async (options: RunAgentOptions): Promise<void> => {
  const { cluster } = options;
  checkName(cluster, 'a cluster');
  const stopRequest = untilAskedToStop();
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await openClient(options, logger);
  await using member = await openMember(options, logger);
  const registration: Registration = options;
  await using _agent = await startAgent({ client, member, cluster, registration, clock, logger });
  process.stderr.write(`perigee: the agent of cluster ${cluster} is at work\n`);
  await stopRequest;
};
