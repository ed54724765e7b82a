import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../ends/entry.ts';
import type { ReadableFile, Source, SourceFolder } from '../ends/source.ts';
import { MoveError } from '../errors.ts';
import type { LocalPlace } from '../place.ts';
import { findPlace } from './find-place.ts';
import { type LocalFolder, versionOf } from './local-folder.ts';

class LocalSourceFolder implements SourceFolder {
  readonly #folder: LocalFolder;
  readonly entry: Entry;

  constructor(folder: LocalFolder, name: Buffer) {
    this.#folder = folder;
    this.entry = folder.entry(name);
  }

  *entries(): Generator<Entry> {
    for (const name of this.#folder.names()) {
      const entry = this.#folder.lookup(name);
      // An entry that went between the two calls shows in the version of the folder.
      if (entry) yield entry;
    }
  }

  lookup(name: Buffer): Entry | undefined {
    return this.#folder.lookup(name);
  }

  has(name: Buffer): boolean {
    return this.#folder.lookup(name) !== undefined;
  }

  enter(name: Buffer): SourceFolder {
    return new LocalSourceFolder(this.#folder.enter(name), name);
  }

  address(name: Buffer): Buffer {
    return this.#folder.address(name);
  }

  isUnchanged(): boolean {
    return versionOf(this.#folder.stats()) === this.entry.version;
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** A tree in a file system of this machine. */
export const openLocalSource = (place: LocalPlace): Source => {
  const { folder, missingFolders, name } = findPlace(place, 'source');
  const entry = missingFolders.length === 0 ? folder.lookup(name) : undefined;
  if (entry === undefined) {
    folder[Symbol.dispose]();
    throw new MoveError('SourceMissing', `the source has no ${place.path} in ${place.root}`);
  }
  const truePath = join(folder.truePath(), name.toString());
  const parent = new LocalSourceFolder(folder, name);
  return { entry, parent, truePath, [Symbol.dispose]: () => parent[Symbol.dispose]() };
};

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Opens a file of a source. A pipe that has taken its place does not make it wait. */
export const openLocalFile = (address: Uint8Array): ReadableFile => {
  const fd = openSync(Buffer.from(address), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return {
    read: (buffer, position) => readSync(fd, buffer, 0, buffer.length, position),
    version: () => versionOf(fstatSync(fd)),
    [Symbol.dispose]: () => closeSync(fd),
  };
};
