import type { Entry } from '../ends/entry.ts';
import type { RecordedDigest } from '../ends/source.ts';
import { MoveError } from '../errors.ts';
import type { ObjectHead, S3Object } from './s3-client.ts';

/** SHA-256 of an object that was written at once. */
export const SHA256 = 'perigee-sha256';
/** SHA-256 over those of the pieces of 8 MiB of one that was written in parts. */
export const PIECES_SHA256 = 'perigee-pieces-sha256';

/** A store of objects has no rights. */
const [FILE_MODE, FOLDER_MODE] = [0o644, 0o755];

export const fileEntry = (
  name: string,
  { size, etag, modifiedMs }: Omit<S3Object, 'key'>,
  metadata: ObjectHead['metadata'] = {},
): Entry => {
  const pieces = metadata[PIECES_SHA256];
  const recordedDigest: RecordedDigest | undefined =
    pieces === undefined ? undefined : { algorithm: 'sha256', hex: pieces };
  return {
    name: Buffer.from(name),
    kind: 'file',
    size,
    allocated: size,
    modifiedMs,
    version: etag,
    mode: FILE_MODE,
    ...(recordedDigest && { recorded: recordedDigest }),
  };
};

export const folderEntry = (name: string): Entry => ({
  name: Buffer.from(name),
  kind: 'folder',
  size: 0,
  allocated: 0,
  modifiedMs: 0,
  version: '',
  mode: FOLDER_MODE,
});

const LONGEST_KEY = 1024;

/** A key that can be the path of a file: no step of it is empty, or climbs. */
export const assertFileName = (name: string, key: string): void => {
  if (name !== '' && name !== '.' && name !== '..' && !name.includes('\0')) return;
  const message = `source ${key}: no file can have this name`;
  throw new MoveError('PathOutside', message, key);
};

/** The key of a file, which must be text. */
export const keyOf = (prefix: string, name: Buffer): string => {
  const text = name.toString();
  const key = `${prefix}${text}`;
  const isText = Buffer.from(text).equals(name);
  if (isText && Buffer.byteLength(key) <= LONGEST_KEY) return key;
  const why = isText ? `is longer than ${LONGEST_KEY} bytes` : 'is no text';
  throw new MoveError(
    'SpecialFile',
    `target: the name ${key} ${why}, and cannot be that of an object`,
    key,
  );
};

/** Begins the keys of all that is in the tree. */
export const prefixOf = (path: string): string => (path === '' ? '' : `${path}/`);
