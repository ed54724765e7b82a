import { Command } from 'commander';
import { addAgent } from './commands/agent.ts';
import { addApiResources } from './commands/api-resources.ts';
import { addControllers } from './commands/controllers.ts';
import { addExplain } from './commands/explain.ts';
import { addRing } from './commands/ring.ts';
import { addScheduler } from './commands/scheduler.ts';
import { addUp } from './commands/up.ts';
import { addVersion } from './commands/version.ts';

const DESCRIPTION = `Perigee decides which of your Kubernetes clusters run which work, knowing where the data lives.`;

const AFTER = `
Examples:
  perigee up                           a control plane with member clusters, on this machine
  perigee agent --help                 serve a cluster that the control plane cannot reach
  perigee controllers --help           run the controllers for a Kubernetes that you have
  perigee version                      what is installed, and what the server runs
  perigee api-resources                every kind that the server serves
  perigee api-resources dsrc           one kind, by any of its names
  perigee explain deployment/web       why its replicas are where they are
  perigee ring                         which scheduler has which clusters

Exit codes: 0 it worked, 1 it failed, 2 the command line was wrong.
Perigee finds its server as kubectl does: --kubeconfig, $KUBECONFIG, ~/.kube/config, or the pod it runs in.`;

/** The command line as one tree; each command loads what it needs when it runs. */
export const createProgram = (): Command => {
  const program = new Command('perigee')
    .description(DESCRIPTION)
    .option('--kubeconfig <file>', 'the kubeconfig file to use')
    .option('--context <name>', 'the context in the kubeconfig to use')
    .addHelpText('after', AFTER)
    .showHelpAfterError('Run "perigee --help" to see the commands.')
    .exitOverride();
  addVersion(program);
  addApiResources(program);
  addExplain(program);
  addUp(program);
  addAgent(program);
  addControllers(program);
  addScheduler(program);
  addRing(program);
  return program;
};
