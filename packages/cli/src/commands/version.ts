import type { Command } from 'commander';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';
import type { VersionOptions } from '../version/show-version.ts';

export const addVersion = (program: Command): void => {
  const command = program
    .command('version')
    .description('Show the version of Perigee, of Node.js, and of the server if one is configured')
    .option('--client', 'do not ask the server')
    .addOption(outputOption())
    .action(async (options: VersionOptions, self: Command) => {
      const { showVersion } = await import('../version/show-version.ts');
      await showVersion(options, self);
    });
  addHelp(command, {
    examples: [
      ['perigee version', 'what is installed, and what the server runs'],
      ['perigee version --client', 'the same without asking the server'],
      ['perigee version -o json', 'the same for programs'],
    ],
  });
};
