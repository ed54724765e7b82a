import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import type { Entry } from '../ends/entry.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * On Linux a folder that is open can be part of a path. What is reached so is in that folder, also when
 * somebody puts a link in the place of one of its parents meanwhile, and however long its path is.
 */
const OPEN_FOLDERS = existsSync('/proc/self/fd') ? '/proc/self/fd/' : undefined;

const kindOf = (stats: Stats): Entry['kind'] => {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'special';
};

export const versionOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string =>
  `${ino}/${size}/${mtimeMs}/${ctimeMs}`;

const entryOf = (name: Buffer, stats: Stats, path: Buffer): Entry => {
  const kind = kindOf(stats);
  return {
    name,
    kind,
    size: kind === 'file' ? stats.size : 0,
    allocated: stats.blocks * 512,
    modifiedMs: stats.mtimeMs,
    // Made only when it is asked for, since most entries are not copied.
    get version() {
      return versionOf(stats);
    },
    mode: stats.mode & 0o777,
    ...(kind === 'link' && { linkTo: readlinkSync(path, 'buffer') }),
  };
};

/** A folder that is open. It is never reached through a symbolic link. */
export class LocalFolder implements Disposable {
  readonly fd: number;
  readonly #prefix: Buffer;
  readonly #path: Buffer;
  #isOpen = true;

  constructor(path: Buffer) {
    this.fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#path = path;
    this.#prefix = OPEN_FOLDERS
      ? Buffer.from(`${OPEN_FOLDERS}${this.fd}/`)
      : Buffer.concat([path, Buffer.from('/')]);
  }

  /** The path by which an entry is reached while the folder is open. */
  address(name: Buffer | string): Buffer {
    return Buffer.concat([this.#prefix, typeof name === 'string' ? Buffer.from(name) : name]);
  }

  enter(name: Buffer | string): LocalFolder {
    return new LocalFolder(this.address(name));
  }

  lookup(name: Buffer): Entry | undefined {
    const path = this.address(name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && entryOf(name, stats, path);
  }

  /** Names as they come, without holding them all. */
  *names(): Generator<Buffer> {
    // The types know text only; with this encoding a name is its bytes.
    using dir = opendirSync(this.address('.'), { encoding: 'buffer' as BufferEncoding });
    for (let dirEntry = dir.readSync(); dirEntry !== null; dirEntry = dir.readSync()) {
      yield dirEntry.name as unknown as Buffer;
    }
  }

  stats(): Stats {
    return fstatSync(this.fd);
  }

  entry(name: Buffer): Entry {
    return entryOf(name, this.stats(), this.#path);
  }

  /** Present path of the folder on this machine. */
  truePath(): string {
    return OPEN_FOLDERS ? readlinkSync(`${OPEN_FOLDERS}${this.fd}`) : this.#path.toString();
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeSync(this.fd);
    this.#isOpen = false;
  }
}
