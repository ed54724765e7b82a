import { fileDigest } from '../digest/tree-digest.ts';
import { type Entry, textOfPath } from '../ends/entry.ts';
import { isPiece, type Piece, piecesOf } from '../ends/pieces.ts';
import type { KnownContent, Part, Target } from '../ends/target.ts';
import { MoveError, touching } from '../errors.ts';
import { type DamageReason, damageOf } from '../jobs/assert-unchanged.ts';
import type { Counters } from '../jobs/counters.ts';
import { type Doing, fromWire, type Outcome, toWire } from '../jobs/job.ts';
import type { FolderJob } from './folder-job.ts';
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

interface Submitted {
  readonly done: Promise<LargeOutcome>;
}

const assertUnchanged = async ({ folder, entry, path }: LargeFile): Promise<Entry> => {
  const text = textOfPath(path);
  const now = await touching(
    'source',
    () => text,
    () => folder.source.lookup(entry.name),
  );
  if (now?.version === entry.version) return now;
  throw new MoveError('SourceChanged', `source ${text} was changed while it was copied`, text);
};

interface Pieces {
  readonly digests: readonly Buffer[];
  readonly differs: boolean;
}

interface PieceWork {
  readonly doing: Doing;
  /** One piece after the other. */
  readonly inTurn?: boolean;
  readonly part?: Part;
  readonly content?: KnownContent;
}

/** Hands out all pieces; the promise inside resolves when they are done. */
const submitPieces = async (
  pool: Pool,
  file: LargeFile,
  { doing, part, content, inTurn = false }: PieceWork,
): Promise<{ readonly done: Promise<Pieces> }> => {
  const { folder, entry, name, path } = file;
  const { size, allocated, modifiedMs, mode, version } = entry;
  const from = toWire(folder.source.address(entry.name));
  const to = toWire(part?.address ?? folder.target.address(name));
  const facts = { size, allocated, modifiedMs, mode, version, from, to, path: toWire(path) };
  const mayLeaveHoles = (part?.isFresh ?? false) && allocated < size;
  const { promise: done, resolve, reject } = Promise.withResolvers<Pieces>();
  // The caller handles the rejection later; until then it must not count as unhandled.
  done.catch(() => {});
  const pieces = part?.stretches ?? [...piecesOf(size)];
  const outcomes: Outcome[] = [];
  let piecesLeft = pieces.length;
  const reportEnd = (): void =>
    resolve({
      digests: outcomes.map(({ digest }) => fromWire(digest)),
      differs: outcomes.some(({ differs }) => differs),
    });
  const take = async (piece: Piece, outcome: Outcome): Promise<void> => {
    outcomes[piece.index] = outcome;
    if (outcome.copied) await part?.note(piece.index, fromWire(outcome.digest));
    piecesLeft--;
    if (piecesLeft === 0) reportEnd();
  };
  if (piecesLeft === 0) reportEnd();
  for (const piece of pieces) {
    // Stretches of several pieces have numbers of their own: the digest of that number is of another stretch.
    const pieceDigest = isPiece(piece)
      ? (part?.donePieces.get(piece.index) ?? content?.pieces[piece.index])
      : undefined;
    const job = {
      ...facts,
      do: doing,
      piece,
      mayLeaveHoles,
      ...(pieceDigest && { notedDigest: toWire(pieceDigest) }),
    };
    const { promise: taken, resolve: resolveTaken } = Promise.withResolvers<void>();
    await pool.submit({ kind: 'piece', piece: job }, ([outcome]) => {
      if (outcome) void take(piece, outcome).catch(reject).then(resolveTaken);
    });
    if (inTurn) await taken;
  }
  return { done };
};

interface ReadPieces {
  readonly digests: readonly Buffer[];
  readonly damageReason: DamageReason;
}

/**
 * Throws if the source was changed, or is not what was recorded of it. Then it is read once more, since it may have been
 * damaged on the way, and its part gets the pieces again that were. Gives the digests of the part.
 */
const assertRecorded = async (
  pool: Pool,
  file: LargeFile,
  part: Part | undefined,
  { digests, damageReason }: ReadPieces,
): Promise<readonly Buffer[]> => {
  const { recorded } = await assertUnchanged(file);
  const damageIn = (pieces: readonly Buffer[], reason: DamageReason): MoveError | undefined =>
    damageOf(recorded, fileDigest(pieces), () => textOfPath(file.path), reason);
  const damage = damageIn(digests, 'VerificationFailed');
  if (damage === undefined) return digests;
  const again = await (await submitPieces(pool, file, { doing: 'digest' })).done;
  const trueDamage = damageIn(again.digests, damageReason);
  if (trueDamage) throw trueDamage;
  if (part === undefined) throw damage;
  const repaired = { ...part, donePieces: new Map(again.digests.entries()) };
  const { done } = await submitPieces(pool, file, { doing: 'copy', part: repaired });
  const repairedPieces = await done;
  const damageLeft = damageIn(repairedPieces.digests, 'VerificationFailed');
  if (damageLeft) throw damageLeft;
  return repairedPieces.digests;
};

export interface LargeFileOptions {
  readonly doing: Doing;
  readonly flush: boolean;
  readonly damageReason: DamageReason;
  readonly counters: Counters;
}

const bytesOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0);

/** Reads the file first, for a target that wants to know what it gets. */
const submitKnown = async (
  pool: Pool,
  target: Target,
  file: LargeFile,
  { flush, damageReason, counters }: LargeFileOptions,
): Promise<Submitted> => {
  const text = () => textOfPath(file.path);
  const { done } = await submitPieces(pool, file, { doing: 'digest' });
  const settle = async (): Promise<LargeOutcome> => {
    const { digests: pieces } = await done;
    const digest = fileDigest(pieces);
    const address = file.folder.target.address(file.name);
    const content = { address, digest, pieces };
    const open = () => target.part(file.path, file.entry, content);
    for (const inTurn of [false, true]) {
      using part = await touching('target', text, open);
      // The second time, all that was sent is sent again, and counts as sent already.
      if (!inTurn) counters.addKept(file.entry.size - bytesOf(part.stretches ?? []));
      if (part.isThere) return { digest, copied: inTurn };
      // Some servers lose what comes faster than they write it.
      await (await submitPieces(pool, file, { doing: 'copy', part, content, inTurn })).done;
      await assertRecorded(pool, file, undefined, { damageReason, digests: pieces });
      const commit = () => part.commit(address, file.entry, flush);
      if (await touching('target', text, commit)) return { digest, copied: true };
    }
    const message = `target ${text()}: the server has lost the parts of an upload twice`;
    throw new MoveError('EndpointUnavailable', message, text());
  };
  return { done: settle() };
};

/** Hands out a large file. The promise inside resolves when it has its name. */
export const submitLargeFile = async (
  pool: Pool,
  target: Target,
  file: LargeFile,
  options: LargeFileOptions,
): Promise<Submitted> => {
  const { doing, flush } = options;
  if (target.keeps.needsDigest) return submitKnown(pool, target, file, options);
  const text = () => textOfPath(file.path);
  if (doing !== 'copy') {
    const { done } = await submitPieces(pool, file, { doing });
    const settle = async (): Promise<LargeOutcome> => {
      const { digests, differs } = await done;
      if (!differs) return { digest: fileDigest(digests), copied: false };
      return (await submitLargeFile(pool, target, file, { ...options, doing: 'copy' })).done;
    };
    return { done: settle() };
  }
  const part = await touching('target', text, () => target.part(file.path, file.entry));
  const { done } = await submitPieces(pool, file, { doing, part });
  const settle = async (): Promise<LargeOutcome> => {
    using _ = part;
    const digests = await assertRecorded(pool, file, part, {
      ...options,
      digests: (await done).digests,
    });
    const digest = fileDigest(digests);
    await touching('target', text, () =>
      part.commit(file.folder.target.address(file.name), file.entry, flush),
    );
    return { digest, copied: true };
  };
  return { done: settle() };
};
