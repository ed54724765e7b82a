import type { Command } from 'commander';
import type { VerifyOptions } from '../backup/run-verify.ts';
import { addHelp } from '../output/command-help.ts';
import { outputOption } from '../output/structured-output.ts';

/** Adds `verify`, which compares a backup of a dataset with its manifest; also available below `data backup`. */
export const addVerify = (parent: Command): void => {
  const command = parent
    .command('verify')
    .description('Check that the backup of a dataset, made by a DataBackup, is intact')
    .argument('<place>', 'the folder <backupPath>/<namespace>/<dataset>, or s3://bucket/folder')
    .option('--endpoint <url>', 'of a store that is like S3')
    .option('--region <name>', 'the region of the bucket')
    .option('--access-key-file <file>', 'a file with the access key')
    .option('--secret-key-file <file>', 'a file with the secret key')
    .option('--ca-file <file>', 'certificates of authorities to trust')
    .addOption(outputOption())
    .action(async (place: string, _: unknown, self: Command) => {
      const { runVerify } = await import('../backup/run-verify.ts');
      await runVerify(place, self.optsWithGlobals<VerifyOptions>());
    });
  addHelp(command, {
    text: [
      'It reads all of the backup, and compares it with the digest in its manifest.json. It asks no control plane: it must be run where the folder or the bucket can be reached. It ends with code 6 when the backup is damaged, and with 3 when there is none.',
    ],
    examples: [
      ['perigee backup verify /srv/backups/shop/sales', 'a backup in a folder'],
      [
        'perigee backup verify s3://backups/shop/sales --endpoint https://minio.example --access-key-file id --secret-key-file key',
        'one in a bucket',
      ],
    ],
  });
};

export const addBackup = (program: Command): void => {
  const command = program
    .command('backup')
    .description('Take a backup of a control plane that goes on running')
    .argument('<file>', 'where to write it; a file that is there is never overwritten')
    .action(async (file: string, _: unknown, self: Command) => {
      const { runBackup } = await import('../backup/run-backup.ts');
      await runBackup(file, self);
    });
  addVerify(command);
  addHelp(command, {
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
