import { fileDigest } from '../digest/tree-digest.ts';
import { type Entry, textOfPath } from '../ends/entry.ts';
import type { Part, Target } from '../ends/target.ts';
import { MoveError, touching } from '../errors.ts';
import { type Piece, piecesOf } from '../plan/pieces.ts';
import type { FolderJob } from './folder-job.ts';
import { type Doing, fromWire, type Outcome, toWire } from './job.ts';
import type { Pool } from './pool.ts';

/** A file that is moved piece by piece. */
export interface LargeFile {
  readonly folder: FolderJob;
  readonly entry: Entry;
  /** Its name in the target. */
  readonly name: Buffer;
  readonly path: Buffer;
}

export interface LargeOutcome {
  readonly digest: Buffer;
  readonly copied: boolean;
}

const assertUnchanged = async ({ folder, entry, path }: LargeFile): Promise<void> => {
  const text = textOfPath(path);
  const now = await touching(
    'source',
    () => text,
    () => folder.source.lookup(entry.name),
  );
  if (now?.version === entry.version) return;
  throw new MoveError('SourceChanged', `source ${text} was changed while it was copied`, text);
};

interface Pieces {
  readonly digests: readonly Buffer[];
  readonly copied: boolean;
  readonly differs: boolean;
}

/** Hands out all pieces; the promise inside resolves when they are done. */
const submitPieces = async (
  pool: Pool,
  file: LargeFile,
  doing: Doing,
  part: Part | undefined,
): Promise<{ readonly done: Promise<Pieces> }> => {
  const { folder, entry, name, path } = file;
  const { size, allocated, modifiedMs, mode, version } = entry;
  const from = toWire(folder.source.address(entry.name));
  const to = toWire(part?.address ?? folder.target.address(name));
  const facts = { size, allocated, modifiedMs, mode, version, from, to, path: toWire(path) };
  const mayLeaveHoles = (part?.isFresh ?? false) && allocated < size;
  const { promise: done, resolve, reject } = Promise.withResolvers<Pieces>();
  // Whoever waits hears of it; until then it must not count as unheard.
  done.catch(() => {});
  const pieces = [...piecesOf(size)];
  const outcomes: Outcome[] = [];
  let left = pieces.length;
  const take = async (piece: Piece, outcome: Outcome): Promise<void> => {
    outcomes[piece.index] = outcome;
    if (outcome.copied) await part?.note(piece.index, fromWire(outcome.digest));
    left--;
    if (left > 0) return;
    resolve({
      digests: outcomes.map(({ digest }) => fromWire(digest)),
      copied: outcomes.some(({ copied }) => copied),
      differs: outcomes.some(({ differs }) => differs),
    });
  };
  for (const piece of pieces) {
    const noted = part?.done.get(piece.index);
    const job = {
      ...facts,
      do: doing,
      piece,
      mayLeaveHoles,
      ...(noted && { noted: toWire(noted) }),
    };
    await pool.submit({ kind: 'piece', piece: job }, ([outcome]) => {
      if (outcome) void take(piece, outcome).catch(reject);
    });
  }
  return { done };
};

/** Hands out a large file. The promise inside resolves when it has its name. */
export const submitLargeFile = async (
  pool: Pool,
  target: Target,
  file: LargeFile,
  { doing, flush }: { readonly doing: Doing; readonly flush: boolean },
): Promise<{ readonly done: Promise<LargeOutcome> }> => {
  const text = () => textOfPath(file.path);
  if (doing !== 'copy') {
    const { done } = await submitPieces(pool, file, doing, undefined);
    const settle = async (): Promise<LargeOutcome> => {
      const { digests, differs } = await done;
      if (!differs) return { digest: fileDigest(digests), copied: false };
      return (await submitLargeFile(pool, target, file, { doing: 'copy', flush })).done;
    };
    return { done: settle() };
  }
  const part = await touching('target', text, () => target.part(file.path, file.entry));
  const { done } = await submitPieces(pool, file, doing, part);
  const settle = async (): Promise<LargeOutcome> => {
    using _ = part;
    const { digests } = await done;
    await assertUnchanged(file);
    await touching('target', text, () =>
      part.commit(file.folder.target.address(file.name), file.entry, flush),
    );
    return { digest: fileDigest(digests), copied: true };
  };
  return { done: settle() };
};
