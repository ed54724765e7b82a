import { SHARDINGS } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { USUAL_MOVER } from '@perigee/scheduling/flows/render-mover-job';
import { parseStagingStore, type StagingStore } from '@perigee/scheduling/flows/staging-store';
import { RESERVE_AFTER_MS } from '@perigee/scheduling/queues/overdue';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RunControllersOptions } from '../controllers/run-controllers.ts';
import { addHelp } from '../output/command-help.ts';
import { readMs } from '../wait/duration-option.ts';

const readStagingStore = (text: string): StagingStore => {
  const store = parseStagingStore(text);
  if ('problem' in store) throw new InvalidArgumentError(store.problem);
  return store;
};

export const addControllers = (program: Command): void => {
  const command = program
    .command('controllers')
    .description('Run the controllers against an API server')
    .option('--controllers <list>', 'which of them run', '*')
    .addOption(
      new Option('--sharding <name>', 'how Schedulers share the clusters out')
        .choices(Object.keys(SHARDINGS))
        .default('sticky-geo'),
    )
    .option(
      '--scheduler-image <image>',
      'run Schedulers as Deployments of this image (default: as children of this process)',
    )
    .option('--scheduler-namespace <name>', 'where these Deployments are', 'perigee-system')
    .option(
      '--mover-image <image>',
      'an image with perigee-mover, for the pods of data operations',
      USUAL_MOVER.image,
    )
    .option(
      '--host-path <folder>',
      'a folder of the machines of members that local:// of data operations may reach, with all that is in it; give it again for more (default: none)',
      (folder: string, before: readonly string[] = []) => [...before, folder],
    )
    .option(
      '--staging-store <store>',
      'a store that data goes through between clusters that do not reach each other: s3://bucket/folder?endpoint=https://…&secret=name, the Secret with access-key and secret-key being in each namespace that may use it (default: none)',
      readStagingStore,
    )
    .option('--preemption', 'let queues take back what others use beyond what they deserve')
    .addOption(
      new Option(
        '--reserve-after <time>',
        'after this time, small work does not pass the first of a queue any more',
      )
        .argParser(readMs)
        .default(RESERVE_AFTER_MS, '5m'),
    )
    .option(
      '--install-crds',
      'bring the kinds to the server, or up to date; with controllers named one by one, only missing ones',
    )
    .option('--listen <[address:]port>', 'where to answer probes; 0 takes a free port', '10358')
    .action(async (_options: object, self: Command) => {
      const { runControllers } = await import('../controllers/run-controllers.ts');
      await runControllers(self.optsWithGlobals<RunControllersOptions>());
    });
  addHelp(command, {
    text: [
      'The same controllers as in "perigee up", for any API server: Kubernetes, or a "perigee up --controllers=" of another machine. A Kubernetes needs "perigee webhook" beside it. Several of them may run for one server: one works, the others stand by.',
      '/healthz, /readyz and /metrics are answered there. Stop it with Ctrl-C: it ends what it has begun, and gives its lease (kube-system/perigee-controllers) away.',
    ],
    examples: [
      ['perigee controllers --install-crds', 'brings its kinds to the server first'],
      ['perigee controllers --kubeconfig ./kubeconfig', 'for the server that this file names'],
      [
        "perigee controllers --controllers='*,-scheduler,-cluster-scheduler'",
        'leaves the scheduling to another',
      ],
      ['perigee controllers --listen 0.0.0.0:10358', 'answers probes from other machines too'],
    ],
  });
};
