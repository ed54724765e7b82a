import { accessSync, constants, mkdirSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { digestSource } from '../digest/digest-source.ts';
import { MoveError } from '../errors.ts';
import { Counters } from '../jobs/counters.ts';
import { findPlace } from '../local/find-place.ts';
import type { MoveOptions, MoveResult } from '../move-tree.ts';
import type { Order } from '../order.ts';
import type { LocalPlace, Place, RclonePlace } from '../place.ts';
import { writeRcloneConfig } from './rclone-config.ts';
import { runRclone } from './run-rclone.ts';

const findProgram = (backend: string): string => {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(folder, 'rclone');
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch {
      // The next folder may have it.
    }
  }
  const message = `${backend} is reached by rclone, which is not here: use an image of the mover with rclone (perigee controllers --mover-image), or install rclone where members run processes`;
  throw new MoveError('ProgramMissing', message);
};

/** The true path of a folder below its root, with no link on the way. */
const folderAt = (place: LocalPlace, side: 'source' | 'target'): string => {
  using location = findPlace(place, side);
  const path = join(
    location.folder.truePath(),
    ...location.missingFolders,
    location.name.toString(),
  );
  if (side === 'target') mkdirSync(path, { recursive: true });
  const real = realpathSync(path);
  if (real === path || real === path.replace(/\/\.$/, '')) return real;
  throw new MoveError(
    'SymlinkOutside',
    `the path ${place.path} of the ${side} goes through a link`,
  );
};

const localOf = (place: Place | RclonePlace): LocalPlace => {
  if (place.kind === 'local') return place;
  const message = 'rclone moves between its store and a folder: one end must be local';
  throw new MoveError('InvalidOrder', message);
};

/** Has rclone move a tree between a store and a folder, has it compare both, and reads what is in the folder. */
export const moveByRclone = async (order: Order, options: MoveOptions): Promise<MoveResult> => {
  const { clock, signal, onProgress } = options;
  const startedAt = clock.monotonic();
  const { from, to, mode, mostDeletions, parallelism, dryRun } = order;
  const isFrom = from.kind === 'rclone';
  const store = isFrom ? from : to;
  if (store.kind !== 'rclone') throw new MoveError('Internal', 'one end must be of rclone');
  const local = localOf(isFrom ? to : from);
  const program = findProgram(store.backend);
  const folder = folderAt(local, isFrom ? 'target' : 'source');
  using config = writeRcloneConfig(program, store, isFrom ? 'source' : 'target');
  const ends = isFrom ? [`store:${store.path}`, folder] : [folder, `store:${store.path}`];
  const run = (args: readonly string[], report: typeof onProgress) =>
    runRclone(program, [...args, '--config', config.file], {
      secrets: config.secrets,
      signal,
      onProgress: report,
    });
  const deletions = mode === 'sync' ? ['--max-delete', String(mostDeletions)] : [];
  const comparing = order.compare === 'content' ? ['--checksum'] : [];
  const args = [
    mode,
    ...ends,
    ...deletions,
    ...comparing,
    ...(dryRun ? ['--dry-run'] : []),
    '--transfers',
    String(parallelism),
  ];
  const outcome = await run(args, onProgress);
  if (!dryRun) await run(['check', '--one-way', ...ends], () => {});
  const counters = new Counters();
  const tree = dryRun ? { files: 0, bytes: 0 } : await digestSource(local, { counters, clock });
  return {
    ...tree,
    folders: 0,
    links: 0,
    skipped: 0,
    filesCopied: outcome.files,
    bytesCopied: outcome.bytes,
    deleted: outcome.deleted,
    seconds: Math.round(clock.monotonic() - startedAt) / 1000,
    dryRun,
  };
};
