import type { Entry } from '../ends/entry.ts';
import { PIECE_BYTES, type Piece } from '../ends/pieces.ts';
import type { KnownContent, Part } from '../ends/target.ts';
import { MoveError } from '../errors.ts';
import type { S3Client } from './s3-client.ts';
import { PIECES_SHA256 } from './s3-entry.ts';
import { partAddress } from './s3-files.ts';
import { noteKey, readNote, writeNote } from './upload-notes.ts';

/** An upload has no more. */
const MOST_PARTS = 10_000;

/** The parts of an upload: pieces, or several of them together when there would be too many. */
export const partsOf = (size: number): readonly Piece[] => {
  const length = PIECE_BYTES * Math.ceil(size / PIECE_BYTES / MOST_PARTS);
  return Array.from({ length: Math.ceil(size / length) }, (_, index) => ({
    index,
    offset: index * length,
    length: Math.min(length, size - index * length),
  }));
};

interface Upload {
  readonly id: string;
  readonly isFresh: boolean;
  /** The numbers of parts that are there as a whole. */
  readonly parts: ReadonlySet<number>;
}

/** The upload of this very content that an earlier run has begun, as it has noted beside the tree; else a new one. */
const openUpload = async (
  client: S3Client,
  key: string,
  note: string,
  digest: string,
  stretches: readonly Piece[],
): Promise<Upload> => {
  const id = (await readNote(client, note))?.id;
  const there = id === undefined ? undefined : await client.uploads.parts(key, id);
  if (id !== undefined && there !== undefined) {
    const whole = stretches.filter(({ index, length }) => there.get(index + 1)?.size === length);
    return { id, isFresh: false, parts: new Set(whole.map(({ index }) => index)) };
  }
  const fresh = await client.uploads.start(key, { [PIECES_SHA256]: digest });
  await writeNote(client, note, { id: fresh, key });
  return { id: fresh, isFresh: true, parts: new Set() };
};

const none = new Map<number, Buffer>();

/** A larger object, which is there when all of its parts are. */
export const openS3Part = async (
  client: S3Client,
  treePath: string,
  { size }: Entry,
  content: KnownContent,
): Promise<Part> => {
  const key = content.address.toString();
  const digest = content.digest.toString('hex');
  const isThere = async (): Promise<boolean> => {
    const head = await client.head(key);
    return head?.size === size && head.metadata[PIECES_SHA256] === digest;
  };
  const address = content.address;
  const idle = { address, donePieces: none, note: () => {}, [Symbol.dispose]: () => {} };
  if (await isThere()) {
    return { ...idle, isFresh: false, isThere: true, stretches: [], commit: () => true };
  }
  const stretches = partsOf(size);
  const note = noteKey(treePath, key, digest);
  const { id, isFresh, parts } = await openUpload(client, key, note, digest, stretches);
  return {
    ...idle,
    address: partAddress({ key, uploadId: id, note }),
    isFresh,
    stretches: stretches.filter(({ index }) => !parts.has(index)),
    commit: async () => {
      const there = await client.uploads.parts(key, id);
      const etags = stretches.map(({ index, length }) => {
        const part = there?.get(index + 1);
        if (part?.size === length) return part.etag;
        const message = `target ${key}: part ${index + 1} of the upload is not there`;
        throw new MoveError('VerificationFailed', message, key);
      });
      const upload = { key, uploadId: id };
      const isComplete = await client.uploads.complete(upload, etags, isThere);
      await client.remove(note);
      // Whatever is left of it is of no use.
      if (!isComplete) await client.uploads.abort(key, id).catch(() => {});
      return isComplete;
    },
  };
};
