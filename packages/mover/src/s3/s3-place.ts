import { readFileSync } from 'node:fs';
import type { MoverClock } from '../clock.ts';
import { MoveError, type Side } from '../errors.ts';
import type { Counters } from '../jobs/counters.ts';
import type { S3Place } from '../place.ts';
import { S3Client } from './s3-client.ts';

/** Credentials are shorter. */
const MOST_BYTES = 64 * 1024;

/** A value in a file, with or without a line end. Neither it nor its file appears in messages. */
const secretIn = (file: string, what: string, side: Side): string => {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.length <= MOST_BYTES && text.trim() !== '') return text.trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new MoveError('PermissionDenied', `the ${what} of the ${side} cannot be read: ${code}`);
  }
  throw new MoveError('PermissionDenied', `the ${what} of the ${side} is empty, or too long`);
};

export const openS3Client = (
  place: S3Place,
  side: Side,
  counters: Counters,
  clock: MoverClock,
): S3Client => {
  const { endpoint, region, bucket, pathStyle, credentials, caFile } = place;
  const read = (file: string, what: string): string => secretIn(file, what, side);
  return new S3Client(
    {
      endpoint,
      region,
      bucket,
      pathStyle,
      credentials: credentials && {
        accessKey: read(credentials.accessKeyFile, 'access key'),
        secretKey: read(credentials.secretKeyFile, 'secret key'),
        ...(credentials.sessionTokenFile && {
          sessionToken: read(credentials.sessionTokenFile, 'session token'),
        }),
      },
      ...(caFile && { caBundle: read(caFile, 'certificate of the authority') }),
    },
    {
      clock,
      onRetry: (problem) => counters.addRetry(problem),
      isStopped: () => counters.isStopped,
    },
  );
};

/** For people, and to detect that two ends overlap. */
export const textOfS3Place = ({ endpoint, bucket, path }: S3Place): string =>
  `${endpoint}/${bucket}${path === '' ? '' : `/${path}`}`;
