import type { Command } from 'commander';
import { addListOptions, type ListOptions } from '../list/list-request.ts';
import { addHelp } from '../output/command-help.ts';

export const addList = (program: Command): void => {
  const command = program
    .command('list')
    .description('List the objects of a kind')
    .argument('<kind>', 'a kind by any of its names: clusters, schedulers, deployments, rb, …');
  addListOptions(command).action(async (kind: string, options: ListOptions, self: Command) => {
    const { runList } = await import('../list/run-list.ts');
    await runList({ ...options, kind, names: [] }, self);
  });
  addHelp(command, {
    text: [
      'It shows the columns that the server has for the kind, so every kind that the server serves can be listed, your own ones too. "perigee api-resources" names them.',
    ],
    examples: [
      ['perigee list clusters', 'the clusters that are registered'],
      ['perigee list clusters -o wide', 'with all columns, in lines as long as they need'],
      ['perigee list clusters -l tier=edge -o name', 'only the names, for scripts'],
      ['perigee list resourcebindings -A --watch', 'all work, and how it changes'],
    ],
  });
};
