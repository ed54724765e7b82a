import type { MaybePromise, ReadableFile } from '../ends/source.ts';
import type { FileFacts, Outcome, PieceJob, SmallFile } from './job.ts';
import type { Stretch, Transfer } from './transfer.ts';

/** A worker's access to the files of a source. */
export interface SourceFiles extends Disposable {
  /** Opens a stretch of a file, which is read from its beginning to its end. */
  open(file: FileFacts, stretch: Stretch): MaybePromise<ReadableFile>;
}

/** Resources of one of the transfers that a worker runs at a time. */
export interface Lane {
  /** Its identity, in all workers. */
  readonly name: string;
  readonly transfer: Transfer;
}

/** A worker's access to the files of a target. */
export interface TargetFiles extends Disposable {
  /** Makes a small file like its source, if it is not so already. */
  small(lane: Lane, file: SmallFile, stretch: Stretch): Promise<Outcome>;
  /** The same for a piece of a larger one, which gets its name later. */
  piece(lane: Lane, job: PieceJob, stretch: Stretch): Promise<Outcome>;
}
