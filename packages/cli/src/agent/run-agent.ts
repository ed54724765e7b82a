import { createHttpClient } from '@perigee/kube/client/http-client';
import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { loadClusterConfig } from '@perigee/kube/kubeconfig/load-cluster-config';
import { createLogger, type Logger } from '@perigee/kube/observe/logger';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import { type Registration, startAgent } from './start-agent.ts';

export interface RunAgentOptions extends Registration {
  /** The name of the cluster in the control plane. */
  readonly cluster: string;
  /** Where the control plane is; found as kubectl does unless given. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly memberKubeconfig: string;
  readonly memberContext?: string;
}

const open = async (
  kubeconfig: string | undefined,
  context: string | undefined,
  logger: Logger,
) => {
  const config = await loadClusterConfig({
    env: process.env,
    clock,
    interactive: false,
    logger,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  return createHttpClient(config, { clock, logger });
};

/** Runs the agent of a cluster in the foreground until the user stops it. */
export const runAgent = async (options: RunAgentOptions): Promise<void> => {
  const { cluster } = options;
  const stopped = untilAskedToStop();
  const logger = createLogger({ clock, level: 'warn' });
  await using client = await open(options.kubeconfig, options.context, logger);
  await using member = await open(options.memberKubeconfig, options.memberContext, logger);
  const registration: Registration = options;
  await using _agent = await startAgent({ client, member, cluster, registration, clock, logger });
  process.stderr.write(`perigee: the agent of cluster ${cluster} is at work\n`);
  await stopped;
};
