import type { Command } from 'commander';
import type { RunAgentOptions } from '../clusters/agent/run-agent.ts';
import { addHelp } from '../output/command-help.ts';

export const addAgent = (program: Command): void => {
  const command = program
    .command('agent')
    .description('Serve one cluster that the control plane cannot reach itself')
    .requiredOption('--cluster <name>', 'the name of the cluster in the control plane')
    .option(
      '--member-kubeconfig <file>',
      'how the agent reaches the cluster (default: the one that it runs in)',
    )
    .option('--member-context <name>', 'the context in that file to use')
    .option('--provider <name>', 'who runs the cluster; said when it is registered')
    .option('--region <name>', 'where it is; said when it is registered')
    .option('--zone <name>', 'the zone that it is in; said when it is registered')
    .action(async ({ memberKubeconfig }: Partial<RunAgentOptions>, self: Command) => {
      if (memberKubeconfig === undefined && !process.env.KUBERNETES_SERVICE_HOST) {
        self.error(
          'error: this is no pod of a cluster: say with --member-kubeconfig how the agent reaches it',
        );
      }
      const { runAgent } = await import('../clusters/agent/run-agent.ts');
      await runAgent(self.optsWithGlobals<RunAgentOptions>());
    });
  addHelp(command, {
    text: [
      'For clusters that the control plane cannot reach: the agent runs beside such a cluster, connects to the control plane from there, and fetches the work (syncMode Pull). A cluster that is not registered yet is registered; delete its Cluster object to take it out again.',
      'Stop it with Ctrl-C. What it brought to the cluster goes on running.',
    ],
    examples: [
      [
        'perigee agent --cluster edge1 --member-kubeconfig edge1.yaml',
        'serve edge1; the control plane is the one of the usual kubeconfig',
      ],
      [
        'perigee agent --cluster edge1 --member-kubeconfig edge1.yaml \\\n    --kubeconfig control.yaml',
        'the same with a kubeconfig for each of the two',
      ],
      [
        'perigee agent --cluster edge1 --member-kubeconfig edge1.yaml --region eu-north',
        'say where it is when it is registered',
      ],
    ],
  });
};
