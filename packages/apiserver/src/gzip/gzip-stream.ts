import { chainChecksums } from './checksum-chain.ts';
import type { GzipPiece } from './gzip-piece.ts';

/** No name, no time, an unknown system. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty block that is the last. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** Makes one compressed stream of pieces. */
export class GzipStream {
  #hasBegun = false;
  #checksum = 0;
  #length = 0;

  /** Bytes to send for a piece. */
  next(piece: GzipPiece): Buffer {
    this.#checksum = chainChecksums(this.#checksum, piece.checksum, piece.shift);
    this.#length += piece.length;
    return this.#after(piece.bytes);
  }

  /** Bytes to send at the end of the stream. */
  end(): Buffer {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#checksum);
    trailer.writeUInt32LE(this.#length % 2 ** 32, 4);
    return this.#after(Buffer.concat([LAST_BLOCK, trailer]));
  }

  #after(bytes: Buffer): Buffer {
    if (this.#hasBegun) return bytes;
    this.#hasBegun = true;
    return Buffer.concat([HEAD, bytes]);
  }
}
