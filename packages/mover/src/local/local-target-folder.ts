import {
  chmodSync,
  fchmodSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import type { Entry } from '../ends/entry.ts';
import type { TargetFolder } from '../ends/target.ts';
import type { LocalFolder } from './local-folder.ts';

/** Mode of a folder while it is filled: all rights for its owner. */
const OWNER = 0o700;

/** Removes an entry with everything below it, following no link, also when others change the tree meanwhile. */
export const removeTree = (folder: LocalFolder, name: Buffer): void => {
  const entry = folder.lookup(name);
  if (entry === undefined) return;
  if (entry.kind !== 'folder') {
    unlinkSync(folder.address(name));
    return;
  }
  {
    if ((entry.mode & OWNER) !== OWNER) chmodSync(folder.address(name), entry.mode | OWNER);
    using inner = folder.enter(name);
    for (const each of inner.names()) removeTree(inner, each);
  }
  rmdirSync(folder.address(name));
};

export class LocalTargetFolder implements TargetFolder {
  readonly #folder: LocalFolder;
  /** Nobody else knows it, so that nothing needs to be looked up. */
  readonly #isFresh: boolean;

  constructor(folder: LocalFolder, isFresh = false) {
    this.#folder = folder;
    this.#isFresh = isFresh;
  }

  lookup(name: Buffer): Entry | undefined {
    return this.#isFresh ? undefined : this.#folder.lookup(name);
  }

  names(): Iterable<Buffer> {
    return this.#folder.names();
  }

  enter(name: Buffer): TargetFolder {
    return new LocalTargetFolder(this.#folder.enter(name));
  }

  unlock(): void {
    const mode = this.#folder.stats().mode & 0o777;
    if ((mode & OWNER) !== OWNER) fchmodSync(this.#folder.fd, mode | OWNER);
  }

  make(name: Buffer): TargetFolder {
    mkdirSync(this.#folder.address(name), OWNER);
    return new LocalTargetFolder(this.#folder.enter(name), true);
  }

  link(name: Buffer, to: Buffer): void {
    symlinkSync(to, this.#folder.address(name));
  }

  setMode(name: Buffer, mode: number): void {
    chmodSync(this.#folder.address(name), mode);
  }

  remove(name: Buffer): void {
    removeTree(this.#folder, name);
  }

  address(name: Buffer): Buffer {
    return this.#folder.address(name);
  }

  finish(like: Entry, flush: boolean): void {
    const { fd } = this.#folder;
    if (flush) fsyncSync(fd);
    fchmodSync(fd, like.mode);
    futimesSync(fd, like.modifiedMs / 1000, like.modifiedMs / 1000);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}
