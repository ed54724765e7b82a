import { lstatSync, realpathSync } from 'node:fs';
import { MoveError, moveErrorOf, type Side } from '../errors.ts';
import { type LocalPlace, stepsOf } from '../place.ts';
import { LocalFolder } from './local-folder.ts';

/** The existing part of the path of a place. */
export interface FoundPlace extends Disposable {
  /** The deepest folder on the way that is there. */
  readonly folder: LocalFolder;
  /** Folders on the way that are missing. */
  readonly missingFolders: readonly string[];
  /** The name of the place in its folder; `.` for the root itself. */
  readonly name: Buffer;
}

const openRoot = ({ root }: LocalPlace, side: Side): LocalFolder => {
  try {
    return new LocalFolder(Buffer.from(realpathSync(root)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw moveErrorOf(error, side, root);
    const reason = side === 'source' ? 'SourceMissing' : 'TargetMissing';
    throw new MoveError(reason, `the root of the ${side}, ${root}, is not a folder`);
  }
};

const refuseStep = (folder: LocalFolder, step: string, side: Side, path: string): MoveError => {
  const what = lstatSync(folder.address(step), { throwIfNoEntry: false });
  if (what?.isSymbolicLink()) {
    const message = `the path ${path} of the ${side} goes through the link ${step}, which is not followed`;
    return new MoveError('SymlinkOutside', message, path);
  }
  const reason = side === 'source' ? 'SourceMissing' : 'TargetConflict';
  return new MoveError(reason, `${step} in the path ${path} of the ${side} is not a folder`, path);
};

/** Goes down to a place, step by step, so that no link on the way can lead out of its root. */
export const findPlace = (place: LocalPlace, side: Side): FoundPlace => {
  const steps = stepsOf(place.path);
  const name = Buffer.from(steps.at(-1) ?? '.');
  let folder = openRoot(place, side);
  const parents = steps.slice(0, -1);
  for (const [at, step] of parents.entries()) {
    const next = lstatSync(folder.address(step), { throwIfNoEntry: false });
    using parent = folder;
    if (next === undefined) {
      folder = parent.enter('.');
      return foundPlace(folder, parents.slice(at), name);
    }
    if (!next.isDirectory()) throw refuseStep(parent, step, side, place.path);
    try {
      folder = parent.enter(step);
    } catch (error) {
      throw moveErrorOf(error, side, place.path);
    }
  }
  return foundPlace(folder, [], name);
};

const foundPlace = (
  folder: LocalFolder,
  missingFolders: readonly string[],
  name: Buffer,
): FoundPlace => ({
  folder,
  missingFolders,
  name,
  [Symbol.dispose]: () => folder[Symbol.dispose](),
});
