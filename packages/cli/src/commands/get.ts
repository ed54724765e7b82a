import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { addListOptions, type ListOptions } from '../list/list-request.ts';
import { canBeName } from '../object-names.ts';
import { addHelp } from '../output/command-help.ts';

interface GetOptions extends ListOptions {
  readonly name?: string;
  readonly id?: string;
}

const split = (what: string, names: readonly string[]) => {
  const [kind = '', ...rest] = what.split('/');
  return { kind, names: rest.length === 0 ? names : [rest.join('/'), ...names] };
};

export const addGet = (program: Command): void => {
  const command = program
    .command('get')
    .description('Show one object, or several, or all of a kind')
    .argument('<kind>', 'a kind by any of its names, or kind/name')
    .argument('[name...]', 'which ones; all of the kind unless given')
    .option('--name <name>', 'the same as the name alone')
    .option('--id <id>', 'the id of a cluster, instead of its name');
  addListOptions(command).action(
    async (what: string, args: readonly string[], options: GetOptions, self: Command) => {
      const { name, id, ...others } = options;
      const { kind, names } = split(what, name === undefined ? args : [...args, name]);
      const wrong = names.find((one) => !canBeName(one));
      if (wrong !== undefined) {
        self.error(`error: "${wrong}" cannot be the name of an object: get <kind> <name>...`);
      }
      if (id !== undefined && names.length > 0) self.error('error: give a name or an id, not both');
      if (id !== undefined && !/^clusters?(\.|$)/i.test(kind)) {
        self.error(`error: only clusters have an id of their own; give the name of the ${kind}`);
      }
      const { runList } = await import('../list/run-list.ts');
      await runList({ ...others, kind, names, ...present({ id }) }, self);
    },
  );
  addHelp(command, {
    examples: [
      ['perigee get cluster -name cluster1', 'one cluster by its name'],
      ['perigee get cluster -id 3dda2801-d675-4688-a63f-dcda8d327f51', 'the same by its id'],
      ['perigee get cluster cluster1 -o yaml', 'everything that is known of it'],
      ['perigee get deployment/web -n shop --watch', 'a workload, and how it changes'],
      ['perigee get schedulers', 'all of a kind, as "perigee list" shows them'],
    ],
  });
};
