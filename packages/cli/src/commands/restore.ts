import type { Command } from 'commander';
import type { RestoreCommandOptions } from '../backup/run-restore.ts';
import { addHelp } from '../output/command-help.ts';

export const addRestore = (program: Command): void => {
  const command = program
    .command('restore')
    .description('Make a data folder of a backup')
    .argument('<file>', 'what "perigee backup" wrote')
    .requiredOption('--data <folder>', 'the folder to make; one that holds something is refused')
    .option('--sha256 <checksum>', 'restore only the backup that has this checksum')
    .action(async (file: string, options: RestoreCommandOptions) => {
      const { runRestore } = await import('../backup/run-restore.ts');
      await runRestore(file, options);
    });
  addHelp(command, {
    withoutServer: true,
    text: [
      'A backup that was cut off or changed is refused, and nothing is left behind. Clients know the restored server by the same keys. What was written after the backup is gone; so that nobody takes it for the newest, resource versions go on far beyond, and who watched has to list again.',
    ],
    examples: [
      ['perigee restore monday.backup --data restored', 'then: perigee up --data restored'],
    ],
  });
};
