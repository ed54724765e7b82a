import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import type { ExplainOptions } from '../placement/explain/run-explain.ts';

export const addExplain = (program: Command): void => {
  const command = program
    .command('explain')
    .description(
      'Say why a workload is where it is or nowhere, or how a cluster, a policy or data is',
    )
    .argument(
      '<kind/name>',
      'deployment/web, or its binding, or cluster/member1, dataload/warm, propagationpolicy/web',
    )
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .option('--decision', 'also tell how it would be decided now, though nothing would change')
    .option('--fresh', 'tell how it would be decided if nothing had been decided before')
    .addOption(outputOption('wide'))
    .action(async (target: string, options: ExplainOptions, self: Command) => {
      const { runExplain } = await import('../placement/explain/run-explain.ts');
      await runExplain(target, options, self);
    });
  addHelp(command, {
    text: [
      'First it tells what is: the binding, its Works, and what members say of the object and its pods. Then why: every stage from the workload to its pods that holds it back or makes it run worse, with a reason for programs, and up to whom it is. Nothing is changed.',
      'Last, and marked as such, it tells what would be decided now, by the very functions of the scheduler, when that differs from what is, or when asked to. VERDICT says what would become of each cluster, REPLICAS how many it would get, ROOM how many more it could take, SCORE how well it suits, BY which filter refuses it or which scores it gets.',
      'Pods are looked at by the contexts of the kubeconfig that are named like the clusters. What you may not read is told as such.',
      'Of what rules work it says how far it is, and what to do when it does not get on: a data operation in its flow, with the Jobs that it made; a Dataset and its copies; a claim and its data; a queue; a trigger; what a policy propagates, and what it selects in vain.',
      'Of a cluster it says which scheduler is its home, why, whether a wish for another one was followed, and how much each scheduler has.',
    ],
    examples: [
      ['perigee explain deployment/web', 'how it is, and why it does not run where it does not'],
      ['perigee explain deployment/web --decision', 'why these clusters, and not others'],
      ['perigee explain deployment/web --fresh', 'where it would go if nothing had been decided'],
      [
        'perigee explain cluster/member1',
        'how it is, who is in charge of it, and what was left in it',
      ],
      ['perigee explain dataload/warm', 'what a step of a flow waits for, or why it failed'],
      ['perigee explain propagationpolicy/web', 'what a policy propagates, and where to'],
      ['perigee explain rb/web-deployment -o json', 'the same by its binding, for programs'],
    ],
  });
};
