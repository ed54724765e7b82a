import { SHARDINGS } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { USUAL_MOVER } from '@perigee/scheduling/flows/render-mover-job';
import type { JsonObject } from '@perigee/schema/json';
import { type Command, Option } from 'commander';
import { addHelp } from '../output/command-help.ts';
import type { RepairMode } from '../up/repair.ts';
import { DEFAULTS, upOptions } from '../up/up-options.ts';

interface UpFlags {
  readonly config?: string;
  readonly repair?: RepairMode;
}

/** Only options that the user typed: commander's defaults would override the config file. */
const setOptions = (command: Command): JsonObject =>
  Object.fromEntries(
    Object.entries(command.opts<JsonObject>())
      .filter(
        ([name]) =>
          name !== 'config' && name !== 'repair' && command.getOptionValueSource(name) === 'cli',
      )
      .map(([name, value]) => [name === 'hostPath' ? 'hostPaths' : name, value]),
  );

const alsoThis = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

export const addUp = (program: Command): void => {
  const command = program
    .command('up')
    .description('Start a whole control plane with virtual member clusters')
    .option('--data <folder>', `where to keep the data (default: ${DEFAULTS.data})`)
    .option('--ephemeral', 'keep no data')
    .option(
      '--port <number>',
      `where to listen on 127.0.0.1; 0 takes a free port (default: ${DEFAULTS.port})`,
    )
    .option('--members <count>', `how many member clusters (default: ${DEFAULTS.members})`)
    .option('--nodes <count>', `how many nodes each of them has (default: ${DEFAULTS.nodes})`)
    .option(
      '--run-processes',
      'let pods run commands on this machine if they ask for it: those of every tenant whose workloads get here',
    )
    .option(
      '--process-namespaces <list>',
      'the namespaces whose pods may, separated by commas (default: all)',
    )
    .option(
      '--host-path <folder>',
      'a folder of this machine that these pods may mount, with all that is in it; give it again for more (default: none)',
      alsoThis,
    )
    .option(
      '--mover-image <image>',
      `an image with perigee-mover, for data operations in members that are real clusters (default: ${USUAL_MOVER.image})`,
    )
    .option(
      '--staging-store <store>',
      'a store that data goes through between clusters that do not reach each other: s3://bucket/folder?endpoint=https://…&secret=name, the Secret with access-key and secret-key being in each namespace that may use it (default: none)',
    )
    .option('--controllers <list>', `which controllers run (default: ${DEFAULTS.controllers})`)
    .option('--failover', 'let work leave clusters that are lost')
    .option('--queue-all', 'hold work that names no queue for the default one')
    .option('--preemption', 'let queues take back what others use beyond what they deserve')
    .option(
      '--reserve-after <time>',
      `after this time, small work does not pass the first of a queue any more (default: ${DEFAULTS.reserveAfter})`,
    )
    .addOption(
      new Option(
        '--sharding <name>',
        `how Schedulers share the clusters out (default: ${DEFAULTS.sharding})`,
      ).choices(Object.keys(SHARDINGS)),
    )
    .option('--config <file>', 'a YAML file with the same options')
    .addOption(
      new Option(
        '--repair [how]',
        'look for damage in the data before the start: say what would be dropped, or drop it',
      )
        .choices(['look', 'drop'])
        .preset('look'),
    )
    .action(async ({ config, repair }: UpFlags, self: Command) => {
      const options = upOptions(setOptions(self), config);
      // Loading the control plane takes most of a second, so options are validated before.
      const { runUp } = await import('../up/run-up.ts');
      await runUp(options, repair);
    });
  addHelp(command, {
    withoutServer: true,
    text: [
      'Everything runs in this process: the API server, three virtual member clusters on three continents, and the controllers. It listens on this machine only, and asks who you are. kubectl works with the kubeconfig that it writes; each member cluster is a context of its own.',
      'The member clusters are simulated: pods become ready without running anything. With --run-processes, pods with the annotation "member.perigee.io/runtime: process" really run their commands on this machine. That gives it to every tenant of the control plane, not only to who may create pods in a member: a Deployment or a Job that a policy brings there is enough. List the namespaces that may with --process-namespaces; a pod of another one waits. At its start it says how well these processes are kept apart from you.',
      'With --failover, work leaves a cluster that has not been ready for a minute, and goes where there is room. That is the doing of the ClusterTaintPolicy "lost-clusters", which the switch brings along, and which is kept like any other object: change it as you like, and delete it to end that.',
      'Stop it with Ctrl-C.',
    ],
    examples: [
      ['perigee up', `keeps its data in ${DEFAULTS.data}, and goes on from there next time`],
      ['perigee up --ephemeral', 'keeps nothing'],
      ['perigee up --members 5 --nodes 100', 'five members of a hundred nodes each'],
      [
        "perigee up --controllers='*,-scheduler,-cluster-scheduler'",
        'leaves the scheduling to another scheduler',
      ],
      ['perigee up --failover', 'moves the work of a cluster that is lost'],
      ['perigee up --controllers=', 'runs none: see "perigee controllers"'],
      [
        'perigee up --run-processes --process-namespaces=team-a,team-b',
        'pods of these two namespaces may run commands on this machine',
      ],
      [
        'perigee up --run-processes --host-path /srv/datasets',
        'they may mount folders below /srv/datasets, and data operations may reach them as local:///srv/datasets/…',
      ],
      ['perigee up --repair', 'says what is damaged, and starts if nothing is'],
      ['perigee up --repair=drop', 'drops what is damaged, keeps a copy of the file, and starts'],
      ['perigee up --config perigee.yaml', 'the same options from a file'],
    ],
  });
};
