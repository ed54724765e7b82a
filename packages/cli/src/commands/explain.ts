import type { Command } from 'commander';
import { teach } from '../output/lesson.ts';
import { outputOption } from '../output/structured.ts';
import type { ExplainOptions } from '../placement/explain/run-explain.ts';

export const addExplain = (program: Command): void => {
  const command = program
    .command('explain')
    .description('Say why a workload is where it is or nowhere, or how a cluster is')
    .argument('<kind/name>', 'deployment/web, or its binding, or cluster/member1')
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .option('--fresh', 'decide as if nothing had been decided before')
    .addOption(outputOption('wide'))
    .action(async (target: string, options: ExplainOptions, self: Command) => {
      const { runExplain } = await import('../placement/explain/run-explain.ts');
      await runExplain(target, options, self);
    });
  teach(command, {
    text: [
      'It reads the binding of the workload and all clusters through the API, and decides once more with the very functions that the scheduler uses. Nothing is changed.',
      'VERDICT says what became of each cluster, REPLICAS how many it gets, ROOM how many more it could take, SCORE how well it suits, BY which filter refused it or which scores it got.',
      'Of a cluster it says which scheduler is its home, why, whether a wish for another one was followed, and how much each scheduler has.',
    ],
    examples: [
      ['perigee explain deployment/web', 'why its replicas are where they are'],
      ['perigee explain deployment/web --fresh', 'where they would go if nothing had been decided'],
      [
        'perigee explain cluster/member1',
        'how it is, who is in charge of it, and what was left in it',
      ],
      ['perigee explain rb/web-deployment -o json', 'the same by its binding, for programs'],
    ],
  });
};
