import type { Command } from 'commander';
import type { JoinOptions } from '../clusters/join/run-join.ts';
import type { PullOptions } from '../clusters/join/run-join-pull.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import { timeoutOption } from '../wait/duration-option.ts';

type Options = Omit<JoinOptions, 'clusterKubeconfig'> &
  Partial<Pick<JoinOptions, 'clusterKubeconfig'>> &
  PullOptions & { readonly pull?: boolean };

const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

export const addJoin = (program: Command): void => {
  const command = program
    .command('join')
    .description('Join a Kubernetes cluster: make access to it, and a record of it')
    .argument('<name>', 'what it shall be called here')
    .option('--cluster-kubeconfig <file>', 'how you reach the cluster; used once, and not kept')
    .option('--cluster-context <name>', 'the context in that file (default: the current one)')
    .option('--cluster-provider <name>', 'who runs it (default: what its nodes say)')
    .option('--cluster-region <name>', 'where it is (default: what its nodes say)')
    .option(
      '--cluster-zones <names>',
      'its zones, with commas (default: what nodes say)',
      splitList,
    )
    .option('--pull', 'print the manifest of an agent that fetches its work, instead')
    .option('--agent-image <image>', 'with --pull: the image of the agent')
    .option('--control-plane-url <url>', 'with --pull: where the agent finds this control plane')
    .option('--dry-run', 'check everything, and change nothing')
    .option('--wait', 'wait until it is ready (the default)', true)
    .option('--no-wait', 'do not wait until it is ready')
    .addOption(timeoutOption('2m'))
    .addOption(outputOption('name'))
    .action(async (name: string, options: Options, self: Command) => {
      if (options.pull) {
        const { runJoinPull } = await import('../clusters/join/run-join-pull.ts');
        await runJoinPull(name, options, self);
        return;
      }
      const { clusterKubeconfig } = options;
      if (clusterKubeconfig === undefined) {
        self.error(
          'error: say how you reach the cluster, with --cluster-kubeconfig, or use --pull',
        );
      }
      const { runJoin } = await import('../clusters/join/run-join.ts');
      await runJoin(name, { ...options, clusterKubeconfig: clusterKubeconfig ?? '' }, self);
    });
  addHelp(command, {
    text: [
      'Your credentials are used once, also those of a credential plugin that the kubeconfig names. With them a service account is made in the cluster (namespace perigee-NAME, ClusterRole perigee:NAME), whose token goes into a Secret of the control plane (karmada-cluster/NAME). The record says what the nodes tell: provider, region, zones, machines, cores and memory.',
      'Done again, it mends what is missing. A cluster that is here under another name is refused. "perigee unjoin" undoes all of it.',
      'With --pull nothing reaches into the cluster: apply what it prints there, and an agent fetches the work.',
    ],
    examples: [
      ['perigee join edge1 --cluster-kubeconfig edge1.yaml', 'the current context of that file'],
      [
        'perigee join prod --cluster-kubeconfig clouds.yaml \\\n    --cluster-context prod-eu',
        'another context',
      ],
      ['perigee join edge1 --cluster-kubeconfig edge1.yaml --dry-run -o yaml', 'see the record'],
      [
        'perigee join far1 --pull | kubectl --context far1 apply -f -',
        'a cluster that the control plane cannot reach',
      ],
    ],
  });
};
