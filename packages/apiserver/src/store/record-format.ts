import { crc32 } from 'node:zlib';
import * as lmdb from 'lmdb';
import type { StoredRecord } from './journal.ts';

/** The trees of a file, by the format that it is in. Their names differ, so that no version reads another's. */
export const RECORDS = { 1: 'objects', 2: 'records' } as const;
export type Format = keyof typeof RECORDS;
export const NEWEST: Format = 2;

export const REVISION_KEY = 'revision';
export const FORMAT_KEY = 'format';

export type RecordKey = [table: string, key: string];

const REVISION_BYTES = 6;
const CHECKSUM_BYTES = 4;
/** Before each object stand a checksum of all that follows and of the key, and the revision. */
export const HEAD_BYTES = CHECKSUM_BYTES + REVISION_BYTES;

const headBytes = (format: Format): number => (format === 1 ? REVISION_BYTES : HEAD_BYTES);

const nameOf = ([table, key]: RecordKey): string => `${table}\0${key}`;

/** Checksum of a value and its key: a value under another key is damaged, too. */
const checksumOf = (name: string, sealed: Buffer): number => crc32(name, crc32(sealed));

const seal = (name: string, value: Buffer): Buffer => {
  value.writeUInt32BE(checksumOf(name, value.subarray(CHECKSUM_BYTES)));
  return value;
};

/** Writes a record into free space; returns its bytes. */
export const writeRecord = (to: Buffer, start: number, record: StoredRecord): Buffer => {
  const { table, key, revision, bytes } = record;
  const at = to.writeUIntBE(revision, start + CHECKSUM_BYTES, REVISION_BYTES);
  return seal(nameOf([table, key]), to.subarray(start, at + bytes.copy(to, at)));
};

/** Offset of the object in a value, and its revision. */
export const readHead = (
  value: Buffer,
  format: Format,
): { readonly revision: number; readonly start: number } => {
  const start = headBytes(format);
  return { revision: value.readUIntBE(start - REVISION_BYTES, REVISION_BYTES), start };
};

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString());
    return true;
  } catch {
    return false;
  }
};

/** True if a record is undamaged. The first format has no checksum, so only malformed records are detected. */
export const isSound = (key: RecordKey, value: Buffer, format: Format): boolean => {
  if (value.length <= headBytes(format)) return false;
  if (format === 1) return isJson(value.subarray(REVISION_BYTES));
  return value.readUInt32BE(0) === checksumOf(nameOf(key), value.subarray(CHECKSUM_BYTES));
};

/** A number under its own key. */
export const writeNumber = (name: string, number: number): Buffer => {
  const value = Buffer.alloc(HEAD_BYTES);
  value.writeUIntBE(number, CHECKSUM_BYTES, REVISION_BYTES);
  return seal(name, value);
};

/** Undefined when it is not as it was written. The first format has no checksum. */
export const readNumber = (name: string, value: Buffer): number | undefined => {
  if (value.length === REVISION_BYTES) return value.readUIntBE(0, REVISION_BYTES);
  const isWhole =
    value.length === HEAD_BYTES &&
    value.readUInt32BE(0) === checksumOf(name, value.subarray(CHECKSUM_BYTES));
  return isWhole ? value.readUIntBE(CHECKSUM_BYTES, REVISION_BYTES) : undefined;
};

const { bufferToKeyValue } = lmdb as unknown as {
  readonly bufferToKeyValue: (key: Buffer) => unknown;
};

/** A key as LMDB has it in its file; undefined when it is none. */
const keyIn = (bytes: Buffer): unknown => {
  try {
    return bufferToKeyValue(bytes);
  } catch {
    return undefined;
  }
};

export const nameIn = (bytes: Buffer): string | undefined => {
  const key = keyIn(bytes);
  return typeof key === 'string' ? key : undefined;
};

export const recordKeyIn = (bytes: Buffer): RecordKey | undefined => {
  const key = keyIn(bytes);
  if (!Array.isArray(key) || key.length !== 2) return undefined;
  const [table, name] = key;
  return typeof table === 'string' && typeof name === 'string' ? [table, name] : undefined;
};
