import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from '../ends/source.ts';
import type { TargetPlace } from '../place.ts';

/** A single file that goes to a folder gets its own name in there, as with cp. */
export const intoFolder = (to: TargetPlace, { entry }: Source): TargetPlace => {
  if (entry.kind !== 'file') return to;
  const name = entry.name.toString();
  const isFolder =
    to.kind === 'local'
      ? to.path === '' ||
        lstatSync(join(to.root, to.path), { throwIfNoEntry: false })?.isDirectory() === true
      : to.path === '' || to.isFolder;
  return isFolder ? { ...to, path: to.path === '' ? name : `${to.path}/${name}` } : to;
};
