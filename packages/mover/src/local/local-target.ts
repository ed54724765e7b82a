import { hash } from 'node:crypto';
import { fsyncSync, mkdirSync, renameSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Entry } from '../ends/entry.ts';
import { PIECE_BYTES } from '../ends/pieces.ts';
import type { Part, Room, Target, TargetTree } from '../ends/target.ts';
import { MoveError } from '../errors.ts';
import type { LocalPlace } from '../place.ts';
import { WORKSHOP } from '../plan/decide-entry.ts';
import { findPlace } from './find-place.ts';
import type { LocalFolder } from './local-folder.ts';
import { countPieces, openLocalPart, removeSmallParts } from './local-part.ts';
import { LocalTargetFolder, removeTree } from './local-target-folder.ts';
import { lockWorkshop } from './workshop-lock.ts';

const TREE = Buffer.from('tree');

const ensureFolder = (folder: LocalFolder, name: string, mode: number): LocalFolder => {
  if (!folder.lookup(Buffer.from(name))) mkdirSync(folder.address(name), mode);
  return folder.enter(name);
};

/**
 * A tree in a file system of this machine. Beside it, or in it when it is the root, there is a workshop while it
 * is made: in `parts` the files that have no name yet, in `tree` a tree that has none yet.
 */
export class LocalTarget implements Target {
  readonly #stack = new DisposableStack();
  /** The folder in which the tree has its name. */
  #holder: LocalFolder;
  readonly #missingFolders: readonly string[];
  readonly #name: Buffer;
  readonly #workshopName: string;
  #workshop: LocalFolder | undefined;
  #parts: LocalFolder | undefined;
  readonly isNew: boolean;
  readonly keeps = { times: true, links: true, needsDigest: false };
  readonly truePath: string;

  constructor(place: LocalPlace) {
    const targetPlace = this.#stack.use(findPlace(place, 'target'));
    this.#holder = targetPlace.folder;
    this.#missingFolders = targetPlace.missingFolders;
    this.#name = targetPlace.name;
    const isRoot = targetPlace.name.equals(Buffer.from('.'));
    this.#workshopName = isRoot
      ? WORKSHOP
      : `${WORKSHOP}-${hash('sha256', targetPlace.name).slice(0, 12)}`;
    this.isNew =
      targetPlace.missingFolders.length > 0 ||
      targetPlace.folder.lookup(targetPlace.name) === undefined;
    this.truePath = join(
      targetPlace.folder.truePath(),
      ...targetPlace.missingFolders,
      targetPlace.name.toString(),
    );
    if (targetPlace.missingFolders.length > 0 || !this.#holds(this.#workshopName)) return;
    this.#workshop = this.#stack.use(this.#holder.enter(this.#workshopName));
    if (this.#workshop.lookup(Buffer.from('parts'))) {
      this.#parts = this.#stack.use(this.#workshop.enter('parts'));
    }
  }

  #holds(name: string): boolean {
    return this.#holder.lookup(Buffer.from(name)) !== undefined;
  }

  get tree(): TargetTree | undefined {
    if (!this.isNew) return { parent: new LocalTargetFolder(this.#holder), name: this.#name };
    return this.#workshop && { parent: new LocalTargetFolder(this.#workshop), name: TREE };
  }

  room(): Room {
    const { bavail, bsize, files, ffree } = statfsSync(this.#holder.address('.'));
    return { bytes: bavail * bsize, entries: files > 0 ? ffree : Number.POSITIVE_INFINITY };
  }

  resumable(path: Buffer, like: Entry): number {
    if (!this.#parts) return 0;
    return Math.min(like.size, countPieces(this.#parts, path, like) * PIECE_BYTES);
  }

  async prepare(): Promise<TargetTree> {
    for (const step of this.#missingFolders)
      this.#holder = this.#stack.use(ensureFolder(this.#holder, step, 0o777));
    this.#workshop ??= this.#stack.use(ensureFolder(this.#holder, this.#workshopName, 0o700));
    this.#stack.use(await lockWorkshop(this.#workshop.address('lock').toString()));
    this.#parts ??= this.#stack.use(ensureFolder(this.#workshop, 'parts', 0o700));
    removeSmallParts(this.#parts);
    const { tree } = this;
    if (!tree) throw new Error('a prepared target has a tree');
    return tree;
  }

  get partsAddress(): Buffer {
    if (!this.#parts) throw new Error('the target is not prepared');
    return this.#parts.address('');
  }

  part(path: Buffer, like: Entry): Part {
    if (!this.#parts) throw new Error('the target is not prepared');
    return openLocalPart(this.#parts, path, like);
  }

  commit(flush: boolean): void {
    if (!this.#workshop) throw new Error('the target is not prepared');
    if (this.isNew) {
      if (this.#holder.lookup(this.#name)) {
        throw new MoveError('TargetConflict', 'somebody else has made the target meanwhile');
      }
      if (flush) fsyncSync(this.#workshop.fd);
      renameSync(this.#workshop.address(TREE), this.#holder.address(this.#name));
      if (flush) fsyncSync(this.#holder.fd);
    }
    removeTree(this.#holder, Buffer.from(this.#workshopName));
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }
}
