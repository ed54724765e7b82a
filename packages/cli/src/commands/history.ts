import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import type { HistoryOptions } from '../placement/history/run-history.ts';

export const addHistory = (program: Command): void => {
  const command = program
    .command('history')
    .description('Tell where a workload was placed over time, and what moved it')
    .argument('<kind/name>', 'deployment/web, or its binding')
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .addOption(outputOption('wide'))
    .action(async (target: string, options: HistoryOptions, self: Command) => {
      const { runHistory } = await import('../placement/history/run-history.ts');
      await runHistory(target, options, self);
    });
  addHelp(command, {
    text: [
      'The oldest comes first. CAUSE is a word for programs, BY who brought it about, WHY its clusters with their replicas before and after, and the cause in a sentence. BY may be the client that changed the workload or the policy, a trigger, or the controller that evicts.',
      'A server of "perigee up" remembers all changes since its start, up to a limit. On other servers, and for what was before, it tells the last ten placements, which the scheduler notes in the binding.',
    ],
    examples: [
      ['perigee history deployment/web', 'where its replicas were, and why they moved'],
      ['perigee history deployment/web -o json', 'the same for programs'],
    ],
  });
};
