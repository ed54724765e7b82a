import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import { addTargetOptions, type MoveOptions } from '../placement/trigger/target-options.ts';

export const addTrigger = (program: Command): void => {
  const command = addTargetOptions(
    program
      .command('trigger')
      .description('Have workloads scheduled afresh, as if they had never been placed')
      .argument('[kind/name...]', 'the workloads, such as deployment/web'),
  ).action(async (names: readonly string[], options: MoveOptions, self: Command) => {
    const { openConnection } = await import('../connect.ts');
    const { runTrigger } = await import('../placement/trigger/run-trigger.ts');
    const { triggerSpec } = await import('../placement/trigger/trigger-spec.ts');
    await using connection = await openConnection(self.optsWithGlobals());
    const { client, namespace } = connection;
    const spec = await triggerSpec(client, names, options, namespace);
    const { targetRefResource, targetRefPolicy, targetSelectors } = spec;
    if ((targetRefResource ?? targetRefPolicy ?? targetSelectors) === undefined) {
      self.error('error: say what to schedule afresh: a workload, --policy, -l, -n or -A');
    }
    await runTrigger(client, 'trigger-', spec, options);
  });
  addHelp(command, {
    text: [
      'It creates a ScheduleTrigger, which does the work and tells what became of it. Replicas move only as far as a fresh decision differs; old ones stay until the new ones are healthy. Work that is held waits for its release, and Jobs that have started stay where they are.',
      'With --dry-run the decisions are made at once, with the very functions that the scheduler uses, and printed.',
    ],
    examples: [
      ['perigee trigger deployment/web --dry-run', 'what would move'],
      ['perigee trigger deployment/web --wait', 'move it, and see what moved'],
      ['perigee trigger --policy web -n shop', 'all that a policy propagates'],
      ['perigee trigger -A -l tier=gold --max-per-minute 30', 'by labels, without haste'],
    ],
  });
};
