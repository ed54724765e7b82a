import { realClock as clock } from '@perigee/kube/clock/real-clock';
import { createLogger } from '@perigee/kube/observe/logger';
import { openClient, type ServerChoice } from '../open-client.ts';
import { untilAskedToStop } from '../until-asked-to-stop.ts';
import { type Registration, startAgent } from './start-agent.ts';

/** Its server is the control plane. */
export interface RunAgentOptions extends Registration, ServerChoice {
  /** The name of the cluster in the control plane. */
  readonly cluster: string;
  readonly memberKubeconfig: string;
  readonly memberContext?: string;
}

/** Runs the agent of a cluster in the foreground until the user stops it. */
export const runAgent = async (options: RunAgentOptions): Promise<void> => {
  const { cluster } = options;
  const stopped = untilAskedToStop();
  const logger = createLogger({ clock, level: 'warn' });
  const { memberKubeconfig, memberContext } = options;
  await using client = await openClient(options, logger);
  await using member = await openClient(
    {
      kubeconfig: memberKubeconfig,
      ...(memberContext === undefined ? {} : { context: memberContext }),
    },
    logger,
  );
  const registration: Registration = options;
  await using _agent = await startAgent({ client, member, cluster, registration, clock, logger });
  process.stderr.write(`perigee: the agent of cluster ${cluster} is at work\n`);
  await stopped;
};
