import { type MoveError, touching } from '../errors.ts';
import { assertUnchanged, type DamageReason, damageOf } from '../jobs/assert-unchanged.ts';
import type { Counters } from '../jobs/counters.ts';
import { fromWire, type Outcome, type PieceJob, type SmallFile, toWire } from '../jobs/job.ts';
import type { Stretch } from '../jobs/transfer.ts';
import type { Lane, SourceFiles, TargetFiles } from '../jobs/worker-ends.ts';
import { openPieces, openSmallPart } from './local-part.ts';
import { openLocalFile } from './local-source.ts';

export const localSourceFiles: SourceFiles = {
  open: ({ from }) => openLocalFile(fromWire(from)),
  [Symbol.dispose]: () => {},
};

export interface LocalTargetOptions {
  readonly source: SourceFiles;
  /** Folder of files that have no name yet. */
  readonly parts: Buffer;
  readonly flush: boolean;
  readonly damageReason: DamageReason;
  readonly counters: Counters;
}

/** Writes files of this machine. */
export class LocalTargetFiles implements TargetFiles {
  readonly #options: LocalTargetOptions;

  constructor(options: LocalTargetOptions) {
    this.#options = options;
  }

  /** Takes a small file from the source; it gets its name when it is whole and verified. */
  async #copyOnce(
    { name, transfer }: Lane,
    file: SmallFile,
    stretch: Stretch,
  ): Promise<{ readonly digest: Buffer; readonly damage: MoveError | undefined }> {
    const { source, parts, flush, damageReason } = this.#options;
    using from = await touching('source', stretch.path, () => source.open(file, stretch));
    using part = touching('target', stretch.path, () => openSmallPart(parts, name));
    const isSparse = file.allocated < file.size;
    if (isSparse) await touching('target', stretch.path, () => part.resize(file.size));
    const digest = await transfer.copy(from, part, stretch, isSparse);
    await assertUnchanged(from, file);
    const damage = damageOf(from.recorded?.(), digest, stretch.path, damageReason);
    if (damage === undefined) {
      touching('target', stretch.path, () => part.commit(fromWire(file.to), file, flush));
    }
    return { digest, damage };
  }

  async #copySmall(lane: Lane, file: SmallFile, stretch: Stretch): Promise<Buffer> {
    const first = await this.#copyOnce(lane, file, stretch);
    if (first.damage === undefined) return first.digest;
    // It may have been damaged on the way.
    this.#options.counters.addRetry(first.damage.message);
    const { digest, damage } = await this.#copyOnce(lane, file, stretch);
    if (damage) throw damage;
    return digest;
  }

  /** The digest of a small file that is there, unless its source has other bytes. */
  async #checkSmall(
    { transfer }: Lane,
    file: SmallFile,
    stretch: Stretch,
  ): Promise<Buffer | undefined> {
    using there = touching('target', stretch.path, () => openLocalFile(fromWire(file.to)));
    const digest = await transfer.digest(there, 'target', stretch);
    if (file.do === 'check') return digest;
    return (await this.#sourceDigest(file, stretch, { transfer })).equals(digest)
      ? digest
      : undefined;
  }

  async #sourceDigest(file: SmallFile, stretch: Stretch, { transfer }: Pick<Lane, 'transfer'>) {
    using from = await touching('source', stretch.path, () =>
      this.#options.source.open(file, stretch),
    );
    const digest = await transfer.digest(from, 'source', stretch);
    await assertUnchanged(from, file);
    return digest;
  }

  async small(lane: Lane, file: SmallFile, stretch: Stretch): Promise<Outcome> {
    const smallContent =
      file.do === 'copy' ? undefined : await this.#checkSmall(lane, file, stretch);
    if (smallContent) this.#options.counters.addKept(file.size);
    const digest = smallContent ?? (await this.#copySmall(lane, file, stretch));
    return { digest: toWire(digest), copied: smallContent === undefined, differs: false };
  }

  async piece(lane: Lane, job: PieceJob, stretch: Stretch): Promise<Outcome> {
    const { transfer } = lane;
    const { source, counters } = this.#options;
    using there = touching('target', stretch.path, () =>
      job.do === 'copy' ? openPieces(fromWire(job.to)) : openLocalFile(fromWire(job.to)),
    );
    if (job.do !== 'copy' || job.notedDigest !== undefined) {
      const digest = await transfer.digest(there, 'target', stretch);
      const isDone = job.do === 'check' || toWire(digest) === job.notedDigest;
      if (isDone) counters.addKept(stretch.length);
      if (isDone) return { digest: toWire(digest), copied: false, differs: false };
      if (job.do === 'compare') {
        const differs = !(await this.#sourceDigest(job, stretch, lane)).equals(digest);
        if (!differs) counters.addKept(stretch.length);
        return { digest: toWire(digest), copied: false, differs };
      }
    }
    using from = await touching('source', stretch.path, () => source.open(job, stretch));
    if (!('write' in there)) throw new Error('a piece is copied to a part');
    const digest = await transfer.copy(from, there, stretch, job.mayLeaveHoles);
    await assertUnchanged(from, job);
    return { digest: toWire(digest), copied: true, differs: false };
  }

  [Symbol.dispose](): void {}
}
