import type { Command } from 'commander';
import { AlreadyReported } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import type { PlanOptions } from '../placement/plan/run-plan.ts';

export const addPlan = (program: Command): void => {
  const command = program
    .command('plan')
    .description('Say what would be placed or moved, and why, if something happened')
    .option('-f, --filename <file...>', 'what would be applied: files or folders, or - for stdin')
    .option('--join', 'the files describe clusters that would join')
    .option('--lose <cluster...>', 'clusters that would fall silent, and not come back')
    .option('--drain <cluster...>', 'clusters that would be unregistered')
    .option('--scale <kind/name=replicas...>', 'workloads that would have other replicas')
    .option('-n, --namespace <name>', 'the namespace to look in (default: that of the context)')
    .addOption(outputOption('wide'))
    // Scripts take 2 for "something would change", so that a mistake must not end with it.
    .exitOverride((error) => {
      if (error.exitCode === 0) throw error;
      throw new AlreadyReported(EXIT.failed, error.message);
    })
    .action(async (options: PlanOptions, self: Command) => {
      const { runPlan } = await import('../placement/plan/run-plan.ts');
      await runPlan(options, self);
    });
  addHelp(command, {
    text: [
      'It reads the state through the API and plays what would follow, with the very functions by which it is done: which policy, which data and queue, which clusters, in which order and when. Nothing is written; files are checked by the server itself. Nothing else is assumed to happen meanwhile.',
      'WHAT is place, move, scale, update, remove, wait, short or stay; AFTER says how long it takes until then; WHY begins with a reason from the closed list. Several changes are played together.',
      'It ends with 0 when nothing would change, with 2 when something would, and with 1 when something is wrong. With -f it prints a state: "perigee apply --if-state" refuses to act on another one.',
    ],
    examples: [
      ['perigee plan -f web.yaml', 'where a workload, policy, claim or queue would lead'],
      ['perigee plan --lose member2', 'what a lost cluster would cost'],
      ['perigee plan --drain member2', 'where its work would go before it is unregistered'],
      ['perigee plan --join -f member4.yaml', 'who would use a new cluster'],
      ['perigee plan --scale deployment/web=40', 'whether so many replicas fit, and where'],
      ['perigee plan -f web.yaml -o json', 'the same for programs'],
    ],
  });
};
