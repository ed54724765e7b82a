import type { Command } from 'commander';
import type { ApiResourcesOptions } from '../api-resources/show-api-resources.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';

export const addApiResources = (program: Command): void => {
  const command = program
    .command('api-resources')
    .description('List the kinds that the server serves, or one of them')
    .argument('[kind]', 'a kind by its plural, singular or short name, with its group or without')
    .addOption(outputOption('wide', 'name'))
    .action(async (name: string | undefined, options: ApiResourcesOptions, self: Command) => {
      const { showApiResources } = await import('../api-resources/show-api-resources.ts');
      await showApiResources(name, options, self);
    });
  addHelp(command, {
    examples: [
      ['perigee api-resources', 'every kind that the server serves'],
      ['perigee api-resources dsrc', 'one kind, by any of its names'],
      ['perigee api-resources -o wide', 'with what can be done with each of them'],
    ],
  });
};
