import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { listAll } from '@perigee/kube/client/list-all';
import {
  SHARDINGS,
  type ShardingName,
  shardingOf,
} from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { type SchedulersChange, whatIf } from '@perigee/scheduling/clusters/sharding/what-if';
import type { Command } from 'commander';
import { connect } from '../../connect.ts';
import { formatStructured } from '../../output/structured-output.ts';
import { formatMoves, formatRing } from './format-ring.ts';

export interface RingOptions {
  readonly whatIf?: readonly string[];
  readonly sharding?: ShardingName;
  readonly output?: string;
}

const changeOf = (terms: readonly string[], command: Command): SchedulersChange => {
  const changes = terms.map((term) => {
    const [, what = '', name = ''] = /^(join|leave)=([a-z0-9][-.a-z0-9]*)$/.exec(term) ?? [];
    if (what === '') command.error(`error: --what-if ${term}: write join=<name> or leave=<name>`);
    return { what, name };
  });
  const namesOf = (action: string) =>
    changes.filter(({ what }) => what === action).map(({ name }) => name);
  return { joins: namesOf('join'), leaves: namesOf('leave') };
};

const checkNames = (
  { joins, leaves }: SchedulersChange,
  schedulers: readonly string[],
  command: Command,
): void => {
  const missingName = leaves.find((name) => !schedulers.includes(name));
  if (missingName !== undefined) {
    const all = schedulers.length === 0 ? 'there are none' : `there are ${schedulers.join(', ')}`;
    command.error(`error: there is no scheduler ${missingName} that could leave; ${all}`);
  }
  const twice = joins.find((name) => schedulers.includes(name));
  if (twice !== undefined) command.error(`error: the scheduler ${twice} is there already`);
};

/** Shows the sharding, or the moves that a change would cause. */
export const runRing = async (options: RingOptions, command: Command): Promise<void> => {
  const { output } = options;
  const isWide = output === 'wide';
  const change = changeOf(options.whatIf ?? [], command);
  await using client = await connect(command);
  const { items } = await listAll(client, Scheduler);
  const schedulers = items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  if (options.whatIf === undefined) {
    process.stdout.write(
      (await formatStructured(output, schedulers)) ?? formatRing(schedulers, isWide),
    );
    return;
  }
  const names = schedulers.map(({ metadata }) => metadata.name);
  checkNames(change, names, command);
  const clusters = (await listAll(client, ClusterRecord)).items;
  const moves = whatIf(
    SHARDINGS[options.sharding ?? shardingOf(schedulers)],
    schedulers,
    clusters,
    change,
  );
  process.stdout.write((await formatStructured(output, moves)) ?? formatMoves(moves));
};
