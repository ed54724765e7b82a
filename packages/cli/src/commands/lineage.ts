import type { Command } from 'commander';
import type { LineageOptions } from '../groups/run-lineage.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';

export const addLineage = (program: Command): void => {
  const command = program
    .command('lineage')
    .description('Draw the owners of a pod, and say which of them has its PodGroup')
    .argument('<pod/name>', 'the pod')
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .option('--rules <file>', 'decide by the rules in this file instead of those in force')
    .addOption(outputOption())
    .action(async (target: string, options: LineageOptions, self: Command) => {
      const { runLineage } = await import('../groups/run-lineage.ts');
      await runLineage(target, options, self);
    });
  addHelp(command, {
    text: [
      'It reads the owners one by one up to the root, and decides with the very function that puts pods into groups. Nothing is changed. The pod is in a member, so name the context of one.',
      'The file of --rules holds what the key volcano-controller.conf holds, or the whole ConfigMap.',
    ],
    examples: [
      [
        'perigee lineage pod/web-5d9c7b-x2x4z --context member1',
        'which owner has the group, and why',
      ],
      [
        'perigee lineage pod/web-5d9c7b-x2x4z --context member1 --rules new-rules.yaml',
        'which one would have it by other rules',
      ],
    ],
  });
};
