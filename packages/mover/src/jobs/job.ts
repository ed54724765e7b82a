import type { Entry } from '../ends/entry.ts';
import type { Piece } from '../ends/pieces.ts';
import type { FailureReason } from '../errors.ts';
import type { Place, TargetPlace } from '../place.ts';
import type { DamageReason } from './assert-unchanged.ts';

/** Bytes on their way to a worker. A view of a buffer would take all of that buffer along. */
export const toWire = (bytes: Buffer): string => bytes.toString('latin1');
export const fromWire = (bytes: string): Buffer => Buffer.from(bytes, 'latin1');

/** The facts of a source file that a worker needs. */
export interface FileFacts
  extends Pick<Entry, 'size' | 'allocated' | 'modifiedMs' | 'mode' | 'version'> {
  /** Addresses and the path in the tree, as they travel. */
  readonly from: string;
  readonly to: string;
  readonly path: string;
}

/**
 * - `copy` takes the bytes from the source.
 * - `check` only reads those of the target.
 * - `compare` reads both, and copies when they differ.
 * - `digest` only reads those of the source.
 */
export type Doing = 'copy' | 'check' | 'compare' | 'digest';

/** A file that is no longer than a piece. */
export interface SmallFile extends FileFacts {
  readonly do: Doing;
  /** The version of what has its name at the target. */
  readonly there?: string;
}

/** A piece of a larger file. */
export interface PieceJob extends FileFacts {
  readonly do: Doing;
  readonly piece: Piece;
  /** Digest of this piece as an earlier run noted it; if it still holds, nothing is copied. */
  readonly notedDigest?: string;
  /** True if stretches that are not written become holes. */
  readonly mayLeaveHoles: boolean;
}

export type Job =
  | { readonly kind: 'files'; readonly files: readonly SmallFile[] }
  | { readonly kind: 'piece'; readonly piece: PieceJob };

/** Result of copying a file or piece. */
export interface Outcome {
  readonly digest: string;
  readonly copied: boolean;
  /** Of `compare` on a piece: the source has other bytes, and nothing was done about it. */
  readonly differs: boolean;
}

/** Message to a worker; the first one names the folder for files without a name. */
export type ToWorker =
  | { readonly kind: 'begin'; readonly partsAddress: string }
  | { readonly kind: 'job'; readonly id: number; readonly job: Job }
  | { readonly kind: 'finish' };

/** The outcome of the job of that number. */
export type Answer =
  | { readonly ok: true; readonly id: number; readonly outcomes: readonly Outcome[] }
  | {
      readonly ok: false;
      readonly id: number;
      readonly reason: FailureReason;
      readonly message: string;
      readonly path?: string;
    };

/** Data with which a worker starts. */
export interface WorkerData {
  readonly index: number;
  readonly from: Place;
  readonly to: TargetPlace;
  readonly flush: boolean;
  readonly damageReason: DamageReason;
  readonly counters: SharedArrayBuffer;
}
