import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { type Command, Option } from 'commander';
import type { RingOptions } from '../clusters/ring/run-ring.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';

/** The names are repeated here, since the module with the functions is slow to load. */
const SHARDINGS: { readonly [name in ShardingName]: true } = {
  'sticky-geo': true,
  rendezvous: true,
  ring: true,
};

export const addRing = (program: Command): void => {
  const command = program
    .command('ring')
    .description('Show which scheduler has which clusters, or what would move')
    .option('--what-if <join|leave=name...>', 'the change to think about')
    .addOption(
      new Option(
        '--sharding <name>',
        'how clusters would be shared out (default: as the control plane does)',
      ).choices(Object.keys(SHARDINGS)),
    )
    .addOption(outputOption('wide'))
    .action(async (options: RingOptions, self: Command) => {
      const { runRing } = await import('../clusters/ring/run-ring.ts');
      await runRing(options, self);
    });
  addHelp(command, {
    text: [
      'CLUSTERS counts those that a scheduler shall have, IN USE those that it has taken over already. --what-if decides with the very function that the control plane uses. Nothing is changed.',
    ],
    examples: [
      ['perigee ring', 'who holds what'],
      ['perigee ring --what-if join=scheduler4', 'what would move if one more came'],
      ['perigee ring --what-if leave=scheduler2', 'what would move if one left'],
    ],
  });
};
