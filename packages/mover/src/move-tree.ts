import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, readManifest, writeManifest } from './backup/manifest.ts';
import type { MoverClock } from './clock.ts';
import { Pool } from './copy/pool.ts';
import { TreeCopy } from './copy/tree-copy.ts';
import { PIECE_BYTES } from './ends/pieces.ts';
import type { Source } from './ends/source.ts';
import type { Target } from './ends/target.ts';
import { MoveError, touching } from './errors.ts';
import type { DamageReason } from './jobs/assert-unchanged.ts';
import { Counters } from './jobs/counters.ts';
import { type EndOptions, openSource, openTarget } from './open/open-ends.ts';
import type { Order } from './order.ts';
import { type Place, type TargetPlace, textOfPlace } from './place.ts';
import type { Rules } from './plan/decide-entry.ts';
import { scan } from './plan/scan.ts';
import { lackOfRoom, noTotals, type Totals } from './plan/totals.ts';
import { type Phase, type Progress, Speedometer } from './progress/progress.ts';

export interface MoveOptions {
  readonly clock: MoverClock;
  /** Aborted to cancel; what was done so far stays, and the next run goes on from there. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** Result of a finished move. */
export interface MoveResult {
  /** Of all that is at the target now, as it was read back. */
  readonly digest?: string;
  readonly files: number;
  readonly bytes: number;
  readonly folders: number;
  readonly links: number;
  /** Special files and links to the outside that were left out. */
  readonly skipped: number;
  readonly filesCopied: number;
  readonly bytesCopied: number;
  readonly deleted: number;
  /** Requests that were made again; missing when there were none. */
  readonly retries?: number;
  readonly seconds: number;
  readonly dryRun: boolean;
}

/** A single file that goes to a folder gets its own name in there, as with cp. */
const intoFolder = (to: TargetPlace, { entry }: Source): TargetPlace => {
  if (entry.kind !== 'file') return to;
  const name = entry.name.toString();
  const isFolder =
    to.kind === 'local'
      ? to.path === '' ||
        lstatSync(join(to.root, to.path), { throwIfNoEntry: false })?.isDirectory() === true
      : to.path === '' || to.isFolder;
  return isFolder ? { ...to, path: to.path === '' ? name : `${to.path}/${name}` } : to;
};

const isWithin = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);

const assertApart = (source: Source, target: Target): void => {
  const [from, to] = [source.truePath, target.truePath];
  if (!isWithin(from, to) && !isWithin(to, from)) return;
  throw new MoveError('Overlap', `source and target overlap: ${from} and ${to}`);
};

/** As many threads as there is work for, and not more than are allowed. */
const threadsFor = ({ files, bytes }: Totals, most: number): number =>
  Math.min(most, Math.ceil(files / 64 + bytes / PIECE_BYTES));

const plannedResult = (totals: Totals): Omit<MoveResult, 'seconds' | 'dryRun'> => ({
  files: totals.files,
  bytes: totals.bytes,
  folders: totals.folders,
  links: totals.links,
  skipped: totals.skipped,
  filesCopied: totals.filesToCopy,
  bytesCopied: totals.bytesToCopy - totals.resumable,
  deleted: totals.entriesToDelete,
});

/** Before a restored tree gets its name, it must be what was saved. */
const assertVerified = async (
  { verifiedBy }: Order,
  digest: string,
  ends: EndOptions,
): Promise<void> => {
  if (verifiedBy === undefined) return;
  const { digest: saved, time } = await readManifest(verifiedBy, ends);
  if (saved === digest) return;
  const message = `the backup of ${time} is damaged: its content has the digest ${digest}, and its manifest says ${saved}`;
  throw new MoveError('BackupDamaged', message);
};

const recordManifest = async (
  { manifest }: Order,
  { digest, files, bytes }: Pick<Manifest, 'digest' | 'files' | 'bytes'>,
  ends: EndOptions,
): Promise<void> => {
  if (manifest === undefined) return;
  const time = new Date(ends.clock.now()).toISOString();
  const record = { version: 1, time, digest, files, bytes, about: manifest.about } as const;
  const { place } = manifest;
  await touching(
    'target',
    () => textOfPlace(place),
    () => writeManifest(place, record, ends),
  );
};

/** An order between ends that this program reaches itself. */
export interface OwnOrder extends Order {
  readonly from: Place;
  readonly to: TargetPlace;
}

/** Copies a tree, or throws a MoveError. */
export const moveTree = async (order: OwnOrder, options: MoveOptions): Promise<MoveResult> => {
  const { clock, signal, onProgress } = options;
  const startedAt = clock.monotonic();
  const seconds = () => Math.round(clock.monotonic() - startedAt) / 1000;
  const counters = new Counters();
  const failure = new AbortController();
  const stop = () => {
    counters.stop();
    failure.abort(
      new MoveError('Cancelled', 'the move was cancelled; the same order goes on with it'),
    );
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });

  let phase: Phase = 'scan';
  const totals = noTotals();
  let needsDigest = false;
  const speedometer = new Speedometer();
  const report = () =>
    onProgress(
      speedometer.take({
        atMs: clock.monotonic(),
        phase,
        bytesTotal: totals.bytes,
        bytesCopied: counters.copiedBytes,
        bytesKept: counters.keptBytes,
        bytesToRead: needsDigest ? totals.bytesInPieces : 0,
        bytesRead: needsDigest ? counters.readBytes : 0,
        filesTotal: totals.files,
        filesDone: counters.files,
        retries: counters.retries,
        retryReason: counters.retryReason,
      }),
    );

  using _ = clock.every(order.progressSeconds * 1000, report);
  const ends = { counters, clock };
  const { from } = order;
  using source = await touching(
    'source',
    () => textOfPlace(from),
    () => openSource(from, ends),
  );
  const to = intoFolder(order.to, source);
  using target = await touching(
    'target',
    () => textOfPlace(to),
    () => openTarget(to, ends),
  );
  assertApart(source, target);
  const { keeps } = target;
  needsDigest = keeps.needsDigest;
  const rules: Rules = { ...order, mayReplace: order.mode === 'sync' || target.isNew, keeps };
  const { flush, parallelism } = order;
  const damageReason: DamageReason =
    order.verifiedBy === undefined ? 'VerificationFailed' : 'BackupDamaged';
  // Its threads start while the trees are still scanned, as soon as there is work for them.
  await using pool = new Pool({ from, to, flush, damageReason, counters, failure });
  const onTotals = (): void => {
    if (!order.dryRun) pool.grow(threadsFor(totals, parallelism));
  };
  await scan({ source, target, rules, clock, signal: failure.signal, totals, onTotals });
  const lack = lackOfRoom(totals, await target.room());
  if (lack) throw new MoveError('DiskFull', lack);
  if (totals.entriesToDelete > order.mostDeletions) {
    const message = `${totals.entriesToDelete} entries of the target would be deleted, and no more than ${order.mostDeletions} may be: nothing was done`;
    throw new MoveError('TooManyDeletions', message);
  }
  if (order.dryRun) return { ...plannedResult(totals), seconds: seconds(), dryRun: true };

  phase = 'copy';
  report();
  const tree = await touching(
    'target',
    () => textOfPlace(to),
    () => target.prepare(),
  );
  // Files may have come since the scan found none.
  pool.grow(Math.max(1, threadsFor(totals, parallelism)));
  pool.begin(target.partsAddress);
  const means = { rules, flush, damageReason, pool, counters, failure, clock };
  const copy = new TreeCopy({ source, target, tree, ...means });
  try {
    await copy.run();
    phase = 'finish';
    report();
    copy.digest.merge((await pool.finish()).lanes);
  } catch (error) {
    counters.stop();
    if (!failure.signal.aborted) failure.abort(error);
    throw error;
  } finally {
    // Threads reach files through folders that the copy holds open, and have to end before it.
    await pool[Symbol.asyncDispose]();
    copy[Symbol.dispose]();
    signal.removeEventListener('abort', stop);
  }
  const digest = copy.digest.toString();
  await assertVerified(order, digest, ends);
  await touching(
    'target',
    () => textOfPlace(to),
    () => target.commit(flush),
  );
  // The parent of the serving mover ends it anyway: a failed report is no failure of the copy.
  await source.finish?.().catch(() => undefined);
  await recordManifest(order, { ...copy.counts, digest }, ends);
  report();
  const { files, bytes, folders, links, skipped, copiedFiles, deleted } = copy.counts;
  return {
    digest,
    files,
    bytes,
    folders,
    links,
    skipped,
    filesCopied: copiedFiles,
    bytesCopied: counters.copiedBytes,
    deleted,
    ...(counters.retries > 0 && { retries: counters.retries }),
    seconds: seconds(),
    dryRun: false,
  };
};
