import type { Command } from 'commander';
import type { RegisterOptions } from '../clusters/registration/run-register.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';

export const addRegister = (program: Command): void => {
  const command = program
    .command('register')
    .description('Make clusters known to the control plane')
    .argument('[cluster]', 'the word "cluster", which may be left out')
    .requiredOption(
      '-f, --filename <file...>',
      'files or folders that describe them, or - for stdin',
    )
    .option('--update', 'change clusters that are registered and described otherwise')
    .option('--dry-run', 'check everything, and register nothing')
    .addOption(outputOption('name'))
    .action(async (word: string | undefined, options: RegisterOptions, self: Command) => {
      if (word !== undefined && !/^clusters?$/.test(word)) {
        self.error(`error: only clusters can be registered, not "${word}"; name files with -f`);
      }
      const { runRegister } = await import('../clusters/registration/run-register.ts');
      await runRegister(options, self);
    });
  addHelp(command, {
    text: [
      'It deploys nothing: the cluster must be there already. A file may hold several documents, in YAML or JSON, each a Kubernetes object (globalscheduler.com/v1 Cluster) or a "cluster_profile" as the REST API takes it. When one of them is wrong, none is registered. The same cluster once more changes nothing. One that is described otherwise is refused, or changed with --update: the file then says all of it, and what it leaves out goes.',
    ],
    examples: [
      ['perigee register cluster -filename ./cluster1.yaml', 'one cluster'],
      ['perigee register -f ./clusters/ -f more.yaml', 'all in a folder and in a file'],
      ['cat cluster1.json | perigee register -f -', 'from another program'],
      ['perigee register -f cluster1.yaml --update', 'after the file has changed'],
      ['perigee register -f cluster1.yaml --dry-run', 'see whether it would work'],
    ],
  });
};
