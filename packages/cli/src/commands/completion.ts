import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { addHelp } from '../output/command-help.ts';

const scriptFor = (shell: string): string =>
  readFileSync(new URL(`../completion/perigee.${shell}`, import.meta.url), 'utf8');

export const addCompletion = (program: Command): void => {
  const command = program
    .command('completion')
    .description('Print a script that lets your shell complete commands, kinds and names')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .action((shell: string) => {
      process.stdout.write(scriptFor(shell));
    });
  addHelp(command, {
    withoutServer: true,
    text: [
      'Names of kinds and objects are asked of the server, for two seconds at most. kubectl completes "kubectl perigee" by itself, when the folder bin/ of Perigee is on your PATH.',
    ],
    examples: [
      ['source <(perigee completion bash)', 'for this bash; put it into ~/.bashrc for all'],
      ['source <(perigee completion zsh)', 'for this zsh, after compinit; or in ~/.zshrc'],
      ['perigee completion fish | source', 'for this fish; or in ~/.config/fish/config.fish'],
    ],
  });
};
