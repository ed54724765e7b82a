import type { Command } from 'commander';
import type { UnjoinOptions } from '../clusters/join/run-unjoin.ts';
import { addHelp } from '../output/command-help.ts';
import { timeoutOption } from '../wait/duration-option.ts';

export const addUnjoin = (program: Command): void => {
  const command = program
    .command('unjoin')
    .description('Undo a join: the record, and the access to the cluster on both sides')
    .argument('<name>', 'what the cluster is called here')
    .option('--cluster-kubeconfig <file>', 'how you reach it, if the control plane no longer does')
    .option('--cluster-context <name>', 'the context in that file (default: the current one)')
    .option('--force', 'wait for no work, and go on when the cluster does not answer')
    .option('--wait', 'wait until it is gone (it always does)')
    .addOption(timeoutOption('10m'))
    .option('--dry-run', 'check everything, and change nothing')
    .action(async (name: string, options: UnjoinOptions, self: Command) => {
      const { runUnjoin } = await import('../clusters/join/run-unjoin.ts');
      await runUnjoin(name, options, self);
    });
  addHelp(command, {
    text: [
      'Work that Perigee has put there moves elsewhere first, as with "perigee unregister"; work that fits nowhere else keeps the cluster, unless you use --force. Then the service account and its role are removed from the cluster, with the credentials of the join or with those that you give, and last the Secret of the control plane.',
    ],
    examples: [
      ['perigee unjoin edge1', 'move its work, and forget it'],
      ['perigee unjoin edge1 --force', 'one that does not answer any more'],
      ['perigee unjoin edge1 --cluster-kubeconfig edge1.yaml', 'with credentials of your own'],
    ],
  });
};
