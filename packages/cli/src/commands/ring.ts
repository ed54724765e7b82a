import { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import { Scheduler } from '@perigee/api/kinds/globalscheduler/scheduler';
import { listAll } from '@perigee/kube/client/list-all';
import { ConfigError } from '@perigee/kube/errors';
import { SHARDINGS, type ShardingName } from '@perigee/scheduling/sharding/sharding-by-name';
import { type SchedulersChange, whatIf } from '@perigee/scheduling/sharding/what-if';
import { type Command, Option } from 'commander';
import { connect } from '../connect.ts';
import { formatStructured, outputOption } from '../output/structured.ts';
import { formatMoves, formatRing } from '../ring/format-ring.ts';

interface RingOptions {
  readonly whatIf?: readonly string[];
  readonly sharding: ShardingName;
  readonly output?: string;
}

const AFTER = `
Examples:
  perigee ring                                who holds what
  perigee ring --what-if join=scheduler4      what would move if one more came
  perigee ring --what-if leave=scheduler2     what would move if one left

--what-if decides with the very function that the control plane uses. Nothing is changed.`;

const changeOf = (terms: readonly string[]): SchedulersChange => {
  const parsed = terms.map((term) => {
    const [, what, name] = /^(join|leave)=([a-z0-9][-.a-z0-9]*)$/.exec(term) ?? [];
    if (what === undefined || name === undefined) {
      throw new ConfigError(`--what-if ${term}: write join=<name> or leave=<name>`);
    }
    return { what, name };
  });
  const named = (wanted: string) =>
    parsed.filter(({ what }) => what === wanted).map(({ name }) => name);
  return { joins: named('join'), leaves: named('leave') };
};

const checkNames = ({ joins, leaves }: SchedulersChange, known: readonly string[]): void => {
  const missing = leaves.find((name) => !known.includes(name));
  if (missing !== undefined) {
    const all = known.length === 0 ? 'there are none' : `there are ${known.join(', ')}`;
    throw new ConfigError(`there is no scheduler ${missing} that could leave; ${all}`);
  }
  const twice = joins.find((name) => known.includes(name));
  if (twice !== undefined) throw new ConfigError(`the scheduler ${twice} is there already`);
};

const show = async (options: RingOptions, command: Command): Promise<void> => {
  const change = changeOf(options.whatIf ?? []);
  await using client = await connect(command);
  const { items } = await listAll(client, Scheduler);
  const schedulers = items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  if (options.whatIf === undefined) {
    process.stdout.write(formatStructured(options.output, schedulers) ?? formatRing(schedulers));
    return;
  }
  checkNames(
    change,
    schedulers.map(({ metadata }) => metadata.name),
  );
  const clusters = (await listAll(client, Cluster)).items;
  const moves = whatIf(SHARDINGS[options.sharding], schedulers, clusters, change);
  process.stdout.write(formatStructured(options.output, moves) ?? formatMoves(moves));
};

export const addRing = (program: Command): void => {
  program
    .command('ring')
    .description('Show which scheduler has which clusters, or what would move')
    .option('--what-if <join|leave=name...>', 'the change to think about')
    .addOption(
      new Option('--sharding <name>', 'how clusters are shared out')
        .choices(Object.keys(SHARDINGS))
        .default('sticky-geo'),
    )
    .addOption(outputOption())
    .addHelpText('after', AFTER)
    .action((options: RingOptions, command: Command) => show(options, command));
};
