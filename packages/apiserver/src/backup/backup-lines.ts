import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { BackupError } from '../errors.ts';
import type { StoredRecord } from '../store/journal.ts';

/**
 * A backup is a text of lines, each of them JSON: what it is, the records of the store, the files with keys
 * and certificates, and at the end how many these were and a checksum of all that stands before.
 */
export interface BackupHead {
  readonly backup: 'perigee';
  readonly format: 1;
  /** All records are of the state at this revision. */
  readonly revision: number;
  /** When it was taken, in RFC 3339. */
  readonly time: string;
}

export interface BackupEnd {
  readonly end: true;
  readonly records: number;
  readonly files: number;
  /** Checksum of all bytes before this line. */
  readonly sha256: string;
}

/** A key or a certificate. */
export interface BackupFile {
  readonly file: string;
  readonly content: string;
}

export type BackupLine =
  | { readonly type: 'head'; readonly head: BackupHead }
  | { readonly type: 'record'; readonly record: StoredRecord }
  | { readonly type: 'file'; readonly file: BackupFile }
  | { readonly type: 'end'; readonly end: BackupEnd };

/** Within a text of JSON its quotation marks would be escaped, so that it stands before the object only. */
const BEFORE_OBJECT = Buffer.from(',"object":');
const CLOSE = Buffer.from('}\n');
/** Names of files that are written below a folder. */
const FILE_NAME = /^[a-z0-9][a-z0-9.-]*\.(crt|key)$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** The bytes of an object are taken as they are, so that none of its numbers changes. */
export const recordLine = ({ table, key, revision, bytes }: StoredRecord): readonly Buffer[] => [
  Buffer.from(JSON.stringify({ table, key, revision }).slice(0, -1)),
  BEFORE_OBJECT,
  bytes,
  CLOSE,
];

export const jsonLine = (line: BackupHead | BackupEnd | BackupFile): Buffer =>
  Buffer.from(`${JSON.stringify(line)}\n`);

const isRevision = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

const parseObject = (text: string): JsonObject => {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new SyntaxError('not an object');
  return value;
};

const recordOf = (line: Buffer, at: number): BackupLine | undefined => {
  const { table, key, revision } = parseObject(`${line.toString('utf8', 0, at)}}`);
  const bytes = line.subarray(at + BEFORE_OBJECT.length, -1);
  if (typeof table !== 'string' || typeof key !== 'string' || !isRevision(revision))
    return undefined;
  parseObject(bytes.toString());
  return { type: 'record', record: { table, key, revision, bytes } };
};

const otherLine = (line: Buffer): BackupLine | undefined => {
  const value = parseObject(line.toString());
  if (value.backup === 'perigee') {
    if (value.format !== 1) {
      throw new BackupError(`it is in format ${value.format}, which this version does not read`);
    }
    const { revision, time } = value;
    const isWhole = isRevision(revision) && typeof time === 'string';
    return isWhole
      ? { type: 'head', head: { backup: 'perigee', format: 1, revision, time } }
      : undefined;
  }
  if (value.end === true) {
    const { records, files, sha256 } = value;
    const isWhole = isRevision(records) && isRevision(files) && SHA256.test(String(sha256));
    return isWhole
      ? { type: 'end', end: { end: true, records, files, sha256: String(sha256) } }
      : undefined;
  }
  const { file, content } = value;
  const isFile = typeof file === 'string' && FILE_NAME.test(file) && typeof content === 'string';
  return isFile ? { type: 'file', file: { file, content } } : undefined;
};

/** Parses a line, which is given without its line break. */
export const parseLine = (line: Buffer, number: number): BackupLine => {
  const at = line.indexOf(BEFORE_OBJECT);
  try {
    const parsedLine = at >= 0 && line.at(-1) === CLOSE[0] ? recordOf(line, at) : otherLine(line);
    if (parsedLine !== undefined) return parsedLine;
  } catch (error) {
    if (error instanceof BackupError) throw error;
  }
  throw new BackupError(`line ${number} is not what a backup consists of`);
};
