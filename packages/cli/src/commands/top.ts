import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import type { TopOptions } from '../top/run-top.ts';

export const addTop = (program: Command): void => {
  const command = program
    .command('top')
    .description('Keep the fleet on one screen: clusters, held work, queues, data, flows, moves')
    .option('-n, --namespace <name>', 'only the work, claims and flows of this namespace')
    .option('--once', 'show it once, and end')
    .addOption(outputOption())
    .action(async (options: TopOptions, self: Command) => {
      const { runTop } = await import('../top/run-top.ts');
      await runTop(options, self);
    });
  addHelp(command, {
    text: [
      'The screen follows what happens until Ctrl-C. Where there is more than fits, each part says which command shows the rest. Without a terminal, as in a pipe, it is shown once.',
    ],
    examples: [
      ['perigee top', 'look on'],
      ['perigee top -n shop', 'for one namespace'],
      ['perigee top --once', 'one look'],
      ['perigee top -o json', 'the same for programs'],
    ],
  });
};
