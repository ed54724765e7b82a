import { constants, crc32, deflateRawSync } from 'node:zlib';
import { GZIP_LEVEL } from '../codec/negotiate/wants-gzip.ts';
import { shiftOf } from './checksum-chain.ts';

/** A part of a compressed stream that can follow any other, and so be in many streams. */
export interface GzipPiece {
  readonly bytes: Buffer;
  /** Length of the uncompressed content. */
  readonly length: number;
  readonly checksum: number;
  readonly shift: number;
}

const LARGEST_BLOCK = 0xffff;

const headOfBlock = (bytes: number): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes, 1);
  head.writeUInt16LE(bytes ^ 0xffff, 3);
  return head;
};

/** An empty block, at which decoders such as Go's flush their output. */
const FLUSH = headOfBlock(0);

/** The content uncompressed, in stored blocks. */
const storedBlocks = (content: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let start = 0; start < content.length; start += LARGEST_BLOCK) {
    const block = content.subarray(start, start + LARGEST_BLOCK);
    parts.push(headOfBlock(block.length), block);
  }
  return Buffer.concat([...parts, FLUSH]);
};

/** Ends with such an empty block, too. */
const deflatedBlocks = (content: Buffer): Buffer =>
  deflateRawSync(content, { level: GZIP_LEVEL, finishFlush: constants.Z_SYNC_FLUSH });

const pieceOf = (content: Buffer, bytes: Buffer): GzipPiece => ({
  bytes,
  length: content.length,
  checksum: crc32(content),
  shift: shiftOf(content.length),
});

export const storedPiece = (content: Buffer): GzipPiece => pieceOf(content, storedBlocks(content));

const pieceCache = new WeakMap<Buffer, GzipPiece>();

/** Compressed on first use, and cached for all receivers of the same bytes. */
export const deflatedPiece = (content: Buffer): GzipPiece => {
  const piece = pieceCache.get(content) ?? pieceOf(content, deflatedBlocks(content));
  pieceCache.set(content, piece);
  return piece;
};
