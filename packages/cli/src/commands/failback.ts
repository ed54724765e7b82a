import type { Command } from 'commander';
import { canBeName } from '../object-names.ts';
import { addHelp } from '../output/command-help.ts';
import { addTargetOptions, type MoveOptions } from '../placement/trigger/target-options.ts';

export const addFailback = (program: Command): void => {
  const command = addTargetOptions(
    program
      .command('failback')
      .description('Put clusters that came back to use again')
      .argument('<cluster...>', 'the clusters that are to get work'),
  ).action(async (clusters: readonly string[], options: MoveOptions, self: Command) => {
    const wrong = clusters.find((name) => !canBeName(name));
    if (wrong !== undefined) self.error(`error: "${wrong}" cannot be the name of a cluster`);
    const { openConnection } = await import('../connect.ts');
    const { runTrigger } = await import('../placement/trigger/run-trigger.ts');
    const { triggerSpec } = await import('../placement/trigger/trigger-spec.ts');
    const { warnNotReady } = await import('../placement/trigger/warn-not-ready.ts');
    await using connection = await openConnection(self.optsWithGlobals());
    const { client, namespace } = connection;
    const { policy, clusterPolicy } = options;
    const isEverything = options.namespace === undefined && (policy ?? clusterPolicy) === undefined;
    const narrowed = isEverything ? { ...options, allNamespaces: true } : options;
    const spec = await triggerSpec(client, [], narrowed, namespace);
    const [first = ''] = clusters;
    await warnNotReady(client, clusters);
    await runTrigger(client, `failback-${first}-`, { ...spec, towardsClusters: clusters }, options);
  });
  addHelp(command, {
    text: [
      'Work that left a cluster when it failed stays away when it is back, until somebody asks. This asks for all work that may go to the cluster and has nothing there; other work stays as it is.',
      'To have it done by itself, create a ScheduleTrigger with spec.onClusters.',
    ],
    examples: [
      ['perigee failback member3 --dry-run', 'what would move'],
      ['perigee failback member3 --wait', 'move it, and see what moved'],
      ['perigee failback member3 -n shop -l tier=gold', 'only some of it'],
      ['perigee failback member3 --max-concurrent 5', 'five workloads at a time'],
    ],
  });
};
