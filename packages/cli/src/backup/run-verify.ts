import { resolve } from 'node:path';
import { verifyBackup } from '@perigee/mover/backup/verify-backup';
import { MoveError } from '@perigee/mover/errors';
import { type LocalPlace, type S3Place, targetPlaceOf } from '@perigee/mover/place';
import { processClock } from '@perigee/mover/process-clock';
import { CommandError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { formatBytes } from '../output/amount.ts';
import { printable } from '../output/printable.ts';
import { formatStructured } from '../output/structured-output.ts';

export interface VerifyOptions {
  readonly endpoint?: string;
  readonly region?: string;
  readonly accessKeyFile?: string;
  readonly secretKeyFile?: string;
  readonly caFile?: string;
  readonly output?: string;
}

const placeOf = (text: string, options: VerifyOptions): LocalPlace | S3Place => {
  const [, bucket, path = ''] = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(text) ?? [];
  if (text === '' || (bucket === undefined && text.startsWith('s3:'))) {
    throw new CommandError(
      EXIT.usage,
      `"${text}" is no place: write a folder, or s3://bucket/folder`,
    );
  }
  if (bucket === undefined) return targetPlaceOf({ kind: 'local', root: resolve(text) }, 'place');
  const { endpoint, region, accessKeyFile, secretKeyFile, caFile } = options;
  const credentials = accessKeyFile || secretKeyFile ? { accessKeyFile, secretKeyFile } : undefined;
  const settings = { endpoint, region, credentials, caFile };
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return targetPlaceOf({ kind: 's3', bucket, path, ...Object.fromEntries(entries) }, 'place');
};

const codeOf = ({ reason }: MoveError): ExitCode => {
  if (reason === 'SourceMissing' || reason === 'SourceChanged') return EXIT.notFound;
  if (reason === 'PermissionDenied') return EXIT.refused;
  if (reason === 'EndpointUnavailable') return EXIT.unreachable;
  if (reason === 'InvalidOrder' || reason === 'PathOutside') return EXIT.usage;
  return reason === 'BackupDamaged' ? EXIT.invalid : EXIT.failed;
};

/** A store that refuses an unsigned request seldom asks for keys. */
const hintOf = (place: LocalPlace | S3Place, { reason }: MoveError): string => {
  const isUnsigned = place.kind === 's3' && place.credentials === undefined;
  if (!isUnsigned || !['PermissionDenied', 'EndpointRefused'].includes(reason)) return '';
  return '\nThe bucket was asked without keys: name the files with them by --access-key-file and --secret-key-file.';
};

/** Reads a whole backup of a dataset and compares it with its manifest. */
export const runVerify = async (text: string, options: VerifyOptions): Promise<void> => {
  const place = placeOf(text, options);
  const verified = await verifyBackup(place, processClock).catch((error) => {
    if (error instanceof MoveError) {
      throw new CommandError(codeOf(error), `${error.message}${hintOf(place, error)}`);
    }
    throw error;
  });
  const { manifest, files, bytes, digest, isIntact } = verified;
  if (!isIntact) {
    throw new CommandError(
      EXIT.invalid,
      `the backup is damaged: it was made at ${manifest.time} of ${manifest.files} files with ${manifest.digest}, and now has ${files} files with ${digest}`,
    );
  }
  const structured = await formatStructured(options.output, verified);
  const line = `intact: ${files} files, ${formatBytes(String(bytes))}B, made at ${manifest.time}, ${digest}`;
  process.stdout.write(structured ?? `${printable(line)}\n`);
};
