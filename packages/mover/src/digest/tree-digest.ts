import { createHash, hash } from 'node:crypto';
import { endianness } from 'node:os';

const LANES = 1024;
const SPREAD = { outputLength: LANES * 2 };
/** The numbers of a digest are the same on all machines. */
const IS_BIG_ENDIAN = endianness() === 'BE';
const [FILE, LINK] = [Buffer.from('file'), Buffer.from('link')];

/** The digest of a file: that of the digests of its pieces. */
export const fileDigest = (pieces: readonly Buffer[]): Buffer =>
  hash('sha256', Buffer.concat(pieces), 'buffer');

/**
 * A digest of a set that does not depend on the order in which its members come, and that needs no list of them:
 * each member is spread over 1,024 numbers of 16 bits, and these are added up (LtHash).
 */
export class TreeDigest {
  readonly #lanes = new Uint16Array(LANES);

  #add(kind: Uint8Array, path: Uint8Array, rest: Uint8Array): void {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(path.length);
    const member = Buffer.concat([kind, length, path, rest]);
    // The hash in one go takes a length only since Node.js 24.4.
    const spread = createHash('shake128', SPREAD).update(member).digest();
    if (IS_BIG_ENDIAN) spread.swap16();
    const numbers = new Uint16Array(spread.buffer, spread.byteOffset, LANES);
    for (let lane = 0; lane < LANES; lane++) {
      this.#lanes[lane] = (this.#lanes[lane] ?? 0) + (numbers[lane] ?? 0);
    }
  }

  addFile(path: Uint8Array, size: number, digest: Uint8Array): void {
    this.#add(FILE, path, Buffer.concat([digest, Buffer.from(String(size))]));
  }

  addLink(path: Uint8Array, linkTo: Uint8Array): void {
    this.#add(LINK, path, linkTo);
  }

  /** State of the digest, to merge it with another. */
  get lanes(): Uint16Array {
    return this.#lanes;
  }

  merge(lanes: Uint16Array): void {
    for (let lane = 0; lane < LANES; lane++) {
      this.#lanes[lane] = (this.#lanes[lane] ?? 0) + (lanes[lane] ?? 0);
    }
  }

  /** The same for the same files, names and links; folders, times and rights do not count. */
  toString(): string {
    const bytes = Buffer.alloc(LANES * 2);
    for (let lane = 0; lane < LANES; lane++) bytes.writeUInt16LE(this.#lanes[lane] ?? 0, lane * 2);
    return `tree1:${hash('sha256', bytes)}`;
  }
}
