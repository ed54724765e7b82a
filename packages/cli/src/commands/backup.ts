import type { Command } from 'commander';
import { teach } from '../output/lesson.ts';

export const addBackup = (program: Command): void => {
  const command = program
    .command('backup')
    .description('Take a backup of a control plane that goes on running')
    .argument('<file>', 'where to write it; a file that is there is never overwritten')
    .action(async (file: string, _: unknown, self: Command) => {
      const { runBackup } = await import('../backup/run-backup.ts');
      await runBackup(file, self);
    });
  teach(command, {
    text: [
      'It holds everything that the control plane and its virtual members store, as of one moment, and the keys and certificates by which clients know the server and it knows them. It is made into a data folder again by "perigee restore". It holds neither the audit log nor files of pods. Only its owner can read the file: whoever does is administrator.',
      'Whoever may get the path /perigee/backup can take it: administrators, and whom a ClusterRole with that nonResourceURL allows it.',
    ],
    examples: [
      ['perigee backup monday.backup', 'everything, in one file'],
      ['perigee backup monday.backup --context perigee', 'of the control plane of that context'],
    ],
  });
};
