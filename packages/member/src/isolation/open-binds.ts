import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join, normalize, relative, resolve } from 'node:path';
import type { Bind } from '../processes/spawn.ts';
import { mountFlags } from './mount-flags.ts';
import { openBelow } from './open-below.ts';
import { isAtOrBelow, type Step } from './sandbox-layout.ts';
import { type SeenPlace, seenPlace } from './seen-place.ts';

interface Mount {
  readonly bind: Bind;
  readonly source: string;
  readonly identity: string;
  readonly isFolder: boolean;
  readonly place: SeenPlace;
}

interface OpenBinds extends AsyncDisposable {
  readonly steps: readonly Step[];
}

/** The innermost mount that contains this one. */
const outerOf = ({ place: { path } }: Mount, all: readonly Mount[]): Mount | undefined =>
  all.findLast(({ place }) => place.path !== path && isAtOrBelow(path, place.path));

const find = async (bind: Bind, handle: FileHandle): Promise<Mount> => {
  const { from, below = '', to } = bind;
  const stats = await handle.stat({ bigint: true });
  const isFolder = stats.isDirectory();
  return {
    bind,
    source: join(from, normalize(`/${below}`)),
    identity: `${stats.dev}:${stats.ino}`,
    isFolder,
    place: seenPlace(resolve('/', to), isFolder),
  };
};

/** Creates a mount point inside of another mount, where every user of that volume can change it. */
const makePlace = async (inner: Mount, outer: Mount, user: number | undefined): Promise<void> => {
  const { path } = inner.place;
  const { from, below = '' } = outer.bind;
  if (!inner.isFolder) {
    throw new Error(`${path} is a file inside of ${outer.place.path}, another volume`);
  }
  const relativePath = join(below, relative(outer.place.path, path));
  const handle = await openBelow(from, relativePath, { make: { user } });
  const stats = await handle.stat();
  await handle.close();
  if (!stats.isDirectory()) throw new Error(`${path} is a file in the volume that it is in`);
};

const verbOf = ({ bind, source }: Mount, mountinfo: string): string =>
  bind.readOnly ? ['only-read', ...mountFlags(mountinfo, source)].join(',') : 'write';

const stepsOf = (
  mounts: readonly Mount[],
  again: (tree: string) => readonly Step[],
): readonly Step[] => {
  const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
  const mountPoints = mounts.filter((one) => one.place.tree && outerOf(one, mounts) === undefined);
  const trees = new Set(mountPoints.flatMap(({ place: { tree } }) => tree ?? []));
  return [
    ...mountPoints.map(
      ({ isFolder, place }): Step => ['point', isFolder ? 'folder' : 'file', place.path, '-'],
    ),
    ...[...trees].flatMap((tree): readonly Step[] => [['points', '-', tree, '-'], ...again(tree)]),
    ...mounts.map((one): Step => {
      const where = outerOf(one, mounts) === undefined ? '' : 'inside-';
      return [`${where}${verbOf(one, mountinfo)}`, one.source, one.place.path, one.identity];
    }),
  ];
};

/**
 * Opens the sources of all mounts. The script checks device and inode, so that a link that is created meanwhile cannot
 * redirect a mount.
 */
export const openBinds = async (
  binds: readonly Bind[],
  user: number | undefined,
  again: (tree: string) => readonly Step[],
): Promise<OpenBinds> => {
  await using stack = new AsyncDisposableStack();
  const mounts: Mount[] = [];
  for (const bind of binds) {
    const handle = stack.use(await openBelow(bind.from, bind.below ?? '', { make: { user } }));
    mounts.push(await find(bind, handle));
  }
  // Outer mounts come before the ones inside of them.
  mounts.sort((a, b) => a.place.path.length - b.place.path.length);
  for (const one of mounts) {
    const outer = outerOf(one, mounts);
    if (outer !== undefined) await makePlace(one, outer, user);
  }
  const steps = stepsOf(mounts, again);
  const open = stack.move();
  return { steps, [Symbol.asyncDispose]: () => open.disposeAsync() };
};
