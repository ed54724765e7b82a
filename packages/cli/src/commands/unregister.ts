import type { ClusterRef } from '@perigee/registration/operations/cluster-ref';
import type { Command } from 'commander';
import { teach } from '../output/lesson.ts';
import type { UnregisterOptions } from '../registration/run-unregister.ts';

interface Named extends UnregisterOptions {
  readonly name?: readonly string[];
  readonly id?: readonly string[];
}

/** Which clusters are meant. The word that says what they are may stand before the names. */
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
    .option('--force', 'also when work is still bound to them')
    .option('--dry-run', 'check everything, and unregister nothing')
    .action(async (words: readonly string[], options: Named, self: Command) => {
      const refs = refsOf(words, options);
      if (refs.length === 0) self.error('error: say which cluster, with -name or -id');
      const { runUnregister } = await import('../registration/run-unregister.ts');
      await runUnregister(refs, options, self);
    });
  teach(command, {
    text: [
      'It undeploys nothing: the cluster and what runs there go on. A cluster to which work is still bound is kept, unless you use --force.',
    ],
    examples: [
      ['perigee unregister cluster -name cluster1', 'one cluster by its name'],
      ['perigee unregister -id 3dda2801-d675-4688-a63f-dcda8d327f51', 'one by its id'],
      ['perigee unregister cluster cluster1 cluster2', 'several'],
      ['perigee unregister cluster cluster1 --force', 'although work is bound to it'],
    ],
  });
};
