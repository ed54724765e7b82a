import type { Command } from 'commander';
import type { RunAgentOptions } from '../agent/run-agent.ts';

const AFTER = `
For clusters that the control plane cannot reach: the agent runs beside such a cluster, connects to the
control plane from there, and fetches the work (syncMode Pull). A cluster that is not registered yet is
registered; delete its Cluster object to take it out again.

Examples:
  perigee agent --cluster edge1 --member-kubeconfig edge1.kubeconfig
  perigee agent --cluster edge1 --member-kubeconfig edge1.kubeconfig --kubeconfig control-plane.kubeconfig
  perigee agent --cluster edge1 --member-kubeconfig edge1.kubeconfig --region eu-north --provider aurora

Stop it with Ctrl-C. What it brought to the cluster goes on running.`;

export const addAgent = (program: Command): void => {
  program
    .command('agent')
    .description('Serve one cluster that the control plane cannot reach itself')
    .requiredOption('--cluster <name>', 'the name of the cluster in the control plane')
    .requiredOption('--member-kubeconfig <file>', 'how the agent reaches the cluster')
    .option('--member-context <name>', 'the context in that file to use')
    .option('--provider <name>', 'who runs the cluster; said when it is registered')
    .option('--region <name>', 'where it is; said when it is registered')
    .option('--zone <name>', 'the zone that it is in; said when it is registered')
    .addHelpText('after', AFTER)
    .action(async (_options: object, command: Command) => {
      const { runAgent } = await import('../agent/run-agent.ts');
      await runAgent(command.optsWithGlobals<RunAgentOptions>());
    });
};
