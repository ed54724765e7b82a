import type { ClusterRef } from '@perigee/registration/operations/cluster-ref';
import type { Command } from 'commander';
import type { UnregisterOptions } from '../clusters/registration/run-unregister.ts';
import { addHelp } from '../output/command-help.ts';
import { timeoutOption } from '../wait/duration-option.ts';

interface Named extends UnregisterOptions {
  readonly name?: readonly string[];
  readonly id?: readonly string[];
}

/** The clusters to unregister. The word "cluster" before the names is skipped. */
const refsOf = (words: readonly string[], { name = [], id = [] }: Named): readonly ClusterRef[] => {
  const names = /^clusters?$/.test(words[0] ?? '') ? words.slice(1) : words;
  return [...[...names, ...name].map((one) => ({ name: one })), ...id.map((one) => ({ id: one }))];
};

export const addUnregister = (program: Command): void => {
  const command = program
    .command('unregister')
    .description('Make the control plane forget clusters')
    .argument('[name...]', 'the names; the word "cluster" may stand before them')
    .option('--name <name...>', 'the names of the clusters')
    .option('--id <id...>', 'the ids of the clusters')
    .option('--force', 'wait for no work: what runs there is left to itself')
    .option('--wait', 'go on until they are gone, and say what they wait for')
    .addOption(timeoutOption('10m'))
    .option('--dry-run', 'check everything, and unregister nothing')
    .action(async (words: readonly string[], options: Named, self: Command) => {
      const refs = refsOf(words, options);
      if (refs.length === 0) self.error('error: say which cluster, with -name or -id');
      const { runUnregister } = await import('../clusters/registration/run-unregister.ts');
      await runUnregister(refs, options, self);
    });
  addHelp(command, {
    text: [
      'The cluster itself stays as it is; only a virtual one goes with everything in it. Work that Perigee has put there moves first: its replacement elsewhere has to be healthy before the old copy goes. Namespaces stay.',
      'When some work fits nowhere else, nothing is done, and you are told which work and why: let it go elsewhere, delete it, or use --force. By force, nothing in the cluster is deleted and nobody is waited for, whether the cluster answers or not: what runs there goes on, and nobody looks after it. Work that fits elsewhere starts there as well. When such a cluster is registered again, "perigee explain cluster/NAME" lists what was left.',
    ],
    examples: [
      ['perigee unregister cluster -name cluster1', 'one cluster by its name'],
      ['perigee unregister -id 3dda2801-d675-4688-a63f-dcda8d327f51', 'one by its id'],
      ['perigee unregister cluster cluster1 cluster2', 'several'],
      ['perigee unregister cluster1 --wait --timeout 5m', 'wait until its work has moved'],
      ['perigee unregister cluster1 --force', 'one that will not come back'],
    ],
  });
};
