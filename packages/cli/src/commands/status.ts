import { type Command, InvalidArgumentError } from 'commander';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import type { StatusOptions } from '../status/run-status.ts';

const count = (text: string): number => {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
};

export const addStatus = (program: Command): void => {
  const command = program
    .command('status')
    .description('Show on one screen how clusters, work, data and queues are, and what is amiss')
    .option('-n, --namespace <name>', 'only the work of this namespace (default: all)')
    .option('--limit <count>', 'how many of each are told one by one', count, 10)
    .addOption(outputOption('wide'))
    .option('-w, --watch', 'go on, and show it again when something changes')
    .action(async (options: StatusOptions, self: Command) => {
      const { runStatus } = await import('../status/run-status.ts');
      await runStatus(options, self);
    });
  addHelp(command, {
    text: [
      'Whatever is not as it should be is listed by name, with its reason: clusters that are not ready; work that is placed and not well ("Work in doubt"); work that is held; claims without data, operations and triggers that failed, closed queues in which work waits; what controllers cannot do.',
      'Work is held while it waits for data, or while no cluster was found for it. REASON is the reason of its condition "Admitted" or "Scheduled", WHY the message; in parentheses it is told of work that has no such condition. "perigee explain" tells more about one workload.',
    ],
    examples: [
      ['perigee status', 'how everything is doing'],
      ['perigee status --watch', 'keep it on the screen'],
      ['perigee status -n shop -o wide', 'with whole messages, for one namespace'],
      ['perigee status -o json', 'the same for programs'],
    ],
  });
};
