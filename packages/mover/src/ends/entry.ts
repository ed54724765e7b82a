import type { RecordedDigest } from './source.ts';

/** One thing in a tree, as its end describes it. Names are bytes: not every one is text. */
export interface Entry {
  readonly name: Buffer;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
  /** Bytes of a file. */
  readonly size: number;
  /** Bytes that it takes on the disk, less than its size when it has holes. */
  readonly allocated: number;
  readonly modifiedMs: number;
  /** The store does not tell when it was modified: only its version tells it from another one of its size. */
  readonly isTimeless?: boolean;
  /** Changes with every write and every change of rights, also when the time is set back. */
  readonly version: string;
  /** The nine permission bits. */
  readonly mode: number;
  /** Target of a link. */
  readonly linkTo?: Buffer;
  /** The digest of a larger file, by its pieces, as it was recorded when it was written. */
  readonly recorded?: RecordedDigest;
}

/** A name or path for people: bytes that are no text are shown as such. */
export const textOfPath = (path: Buffer): string => {
  const text = path.toString('utf8');
  return Buffer.from(text).equals(path)
    ? text
    : path.toString('latin1').replace(/[^\x20-\x7e]/g, (byte) => {
        return `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
      });
};
