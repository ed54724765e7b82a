import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import type { ApplyOptions } from '../placement/plan/run-apply.ts';

export const addApply = (program: Command): void => {
  const command = program
    .command('apply')
    .description('Apply files, if the state is still the one that was planned for')
    .requiredOption('-f, --filename <file...>', 'files or folders, or - for stdin')
    .option('--if-state <state>', 'the state that "perigee plan" printed; another one is refused')
    .option('-n, --namespace <name>', 'for objects that name none (default: that of the context)')
    .action(async (options: ApplyOptions, self: Command) => {
      const { runApply } = await import('../placement/plan/run-apply.ts');
      await runApply(options, self);
    });
  addHelp(command, {
    text: [
      'With --if-state it plans once more and compares: when clusters, policies, claims, queues, the work that is concerned, the files, or what would become of it all have changed, it names them, writes nothing and ends with 5. What only moves up and down, such as the room that is left, counts by what comes of it.',
      'Without it, it is a server-side apply like that of kubectl.',
    ],
    examples: [
      [
        'perigee apply -f web.yaml --if-state STATE',
        'does what "perigee plan -f web.yaml" showed, or nothing',
      ],
    ],
  });
};
