import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { Entry } from '../ends/entry.ts';
import type { Part, WritableFile } from '../ends/target.ts';
import type { LocalFolder } from './local-folder.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDWR, O_WRONLY } = constants;
/** The number of a piece, and its digest. */
const NOTE_BYTES = 4 + 32;
const SMALL = 'small-';

/** The same file of the same version has the same name, so that another run finds it. */
const partName = (path: Buffer, { size, modifiedMs, isTimeless, version }: Entry): string => {
  const facts = `\0${size}\0${isTimeless ? version : modifiedMs}`;
  return hash('sha256', Buffer.concat([path, Buffer.from(facts)])).slice(0, 32);
};

/** A note that was cut off by a crash is none. */
const readNotes = (parts: LocalFolder, name: string): Map<number, Buffer> => {
  const digests = new Map<number, Buffer>();
  let notes: Buffer;
  try {
    notes = readFileSync(parts.address(`${name}.pieces`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return digests;
    throw error;
  }
  for (let at = 0; at + NOTE_BYTES <= notes.length; at += NOTE_BYTES) {
    digests.set(notes.readUInt32LE(at), notes.subarray(at + 4, at + NOTE_BYTES));
  }
  return digests;
};

/** Number of pieces of a file that an earlier run has written. */
export const countPieces = (parts: LocalFolder, path: Buffer, like: Entry): number =>
  readNotes(parts, partName(path, like)).size;

export const openLocalPart = (parts: LocalFolder, path: Buffer, like: Entry): Part => {
  const name = partName(path, like);
  const address = parts.address(name);
  const notesAddress = parts.address(`${name}.pieces`);
  const digests = readNotes(parts, name);
  const isFresh = parts.lookup(Buffer.from(name)) === undefined;
  const fd = openSync(address, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  const notes = openSync(notesAddress, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  ftruncateSync(fd, like.size);
  // The next note takes the place of one that a crash has cut off.
  let at = Math.floor(fstatSync(notes).size / NOTE_BYTES) * NOTE_BYTES;
  const note = (piece: number, digest: Buffer): void => {
    const record = Buffer.alloc(NOTE_BYTES);
    record.writeUInt32LE(piece);
    digest.copy(record, 4);
    at += writeSync(notes, record, 0, NOTE_BYTES, at);
  };
  return {
    address,
    isFresh,
    donePieces: digests,
    note,
    commit: (to, { modifiedMs, mode }, flush) => {
      futimesSync(fd, modifiedMs / 1000, modifiedMs / 1000);
      fchmodSync(fd, mode);
      if (flush) fsyncSync(fd);
      renameSync(address, to);
      unlinkSync(notesAddress);
      return true;
    },
    [Symbol.dispose]: () => {
      closeSync(fd);
      closeSync(notes);
    },
  };
};

const writeAll = (fd: number, buffer: Buffer, position: number): void => {
  for (let at = 0; at < buffer.length; ) {
    at += writeSync(fd, buffer, at, buffer.length - at, position + at);
  }
};

const writable = (fd: number): WritableFile => ({
  write: (buffer, position) => writeAll(fd, buffer, position),
  resize: (size) => ftruncateSync(fd, size),
  read: (buffer, position) => readSync(fd, buffer, 0, buffer.length, position),
  flush: () => fsyncSync(fd),
  [Symbol.dispose]: () => closeSync(fd),
});

/** Opens a file that is written piece by piece. */
export const openPieces = (address: Uint8Array): WritableFile =>
  writable(openSync(Buffer.from(address), O_RDWR | O_NOFOLLOW));

interface SmallPart extends WritableFile {
  commit(to: Uint8Array, like: Pick<Entry, 'modifiedMs' | 'mode'>, flush: boolean): void;
}

/** Starts a small file, which gets its name when it is whole. */
export const openSmallPart = (partsAddress: Uint8Array, lane: string): SmallPart => {
  const address = Buffer.concat([partsAddress, Buffer.from(`${SMALL}${lane}`)]);
  const fd = openSync(address, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  let isNamed = false;
  return {
    ...writable(fd),
    commit: (to, { modifiedMs, mode }, flush) => {
      futimesSync(fd, modifiedMs / 1000, modifiedMs / 1000);
      fchmodSync(fd, mode);
      if (flush) fsyncSync(fd);
      renameSync(address, Buffer.from(to));
      isNamed = true;
    },
    [Symbol.dispose]: () => {
      closeSync(fd);
      if (!isNamed) unlinkSync(address);
    },
  };
};

/** Small files are begun anew; those that a crash has left are of no use. */
export const removeSmallParts = (parts: LocalFolder): void => {
  for (const name of parts.names()) {
    if (name.toString('latin1').startsWith(SMALL)) unlinkSync(parts.address(name));
  }
};
