import { createHash, type Hash, hash } from 'node:crypto';
import type { ReadableFile } from '../ends/source.ts';
import type { WritableFile } from '../ends/target.ts';
import { MoveError, type Side, touching } from '../errors.ts';
import type { Counters } from './counters.ts';

/** So little that it stays close to the processor while it is hashed, written, read back and compared. */
const BUFFER_BYTES = 2 ** 18;
/** Holes are left where this many bytes are zero. */
const HOLE_BYTES = 2 ** 16;
const ZEROS = Buffer.alloc(HOLE_BYTES);

/** A stretch of a file, with its name for people. */
export interface Stretch {
  readonly path: () => string;
  readonly offset: number;
  readonly length: number;
}

const assertGoesOn = (counters: Counters): void => {
  if (counters.isStopped) throw new MoveError('Cancelled', 'the move was stopped');
};

/** SHA-256 of what is added; of a single piece in one go, which is cheaper for the many small files. */
class Sum {
  readonly #hash: Hash | undefined;
  #only: Buffer | undefined;

  constructor(length: number) {
    this.#hash = length > BUFFER_BYTES || length === 0 ? createHash('sha256') : undefined;
  }

  add(bytes: Buffer): void {
    if (this.#hash) this.#hash.update(bytes);
    else this.#only = hash('sha256', bytes, 'buffer');
  }

  digest(): Buffer {
    return this.#only ?? this.#hash?.digest() ?? Buffer.alloc(0);
  }
}

/** Moves bytes between files, one stretch at a time. */
export class Transfer {
  readonly #buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  /** Buffer for bytes that are read back. */
  readonly #back = Buffer.allocUnsafe(BUFFER_BYTES);
  readonly #counters: Counters;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  async #fill(
    file: Pick<ReadableFile, 'read'>,
    side: Side,
    stretch: Stretch,
    at: number,
    into = this.#buffer,
  ): Promise<Buffer> {
    const targetSlice = into.subarray(0, Math.min(BUFFER_BYTES, stretch.length - at));
    for (let have = 0; have < targetSlice.length; ) {
      const position = stretch.offset + at + have;
      const count = await touching(side, stretch.path, () =>
        file.read(targetSlice.subarray(have), position),
      );
      if (count === 0) {
        const reason = side === 'source' ? 'SourceChanged' : 'VerificationFailed';
        const message = `${side} ${stretch.path()} is shorter than it was`;
        throw new MoveError(reason, message, stretch.path());
      }
      have += count;
    }
    return targetSlice;
  }

  async #writeAround(to: WritableFile, bytes: Buffer, position: number): Promise<void> {
    for (let at = 0; at < bytes.length; at += HOLE_BYTES) {
      const block = bytes.subarray(at, at + HOLE_BYTES);
      if (!block.equals(ZEROS.subarray(0, block.length))) await to.write(block, position + at);
    }
  }

  /** The bytes of a stretch, step by step, in two buffers in turn: each holds until the one after the next is asked for. */
  async *read(from: Pick<ReadableFile, 'read'>, stretch: Stretch): AsyncGenerator<Buffer> {
    for (let at = 0, into = this.#buffer; at < stretch.length; at += BUFFER_BYTES) {
      assertGoesOn(this.#counters);
      yield await this.#fill(from, 'source', stretch, at, into);
      into = into === this.#buffer ? this.#back : this.#buffer;
    }
  }

  /** Reads a stretch into memory, step by step; it holds until the next one is read. */
  async readAll(from: Pick<ReadableFile, 'read'>, stretch: Stretch): Promise<Buffer> {
    if (stretch.length <= BUFFER_BYTES) {
      assertGoesOn(this.#counters);
      return this.#fill(from, 'source', stretch, 0);
    }
    const all = Buffer.allocUnsafe(stretch.length);
    for (let at = 0; at < stretch.length; at += BUFFER_BYTES) {
      assertGoesOn(this.#counters);
      await this.#fill(from, 'source', stretch, at, all.subarray(at, at + BUFFER_BYTES));
    }
    return all;
  }

  /** The digest of what a file holds there. */
  async digest(file: Pick<ReadableFile, 'read'>, side: Side, stretch: Stretch): Promise<Buffer> {
    const sum = new Sum(stretch.length);
    for (let at = 0; at < stretch.length; at += BUFFER_BYTES) {
      assertGoesOn(this.#counters);
      sum.add(await this.#fill(file, side, stretch, at));
    }
    return sum.digest();
  }

  /** Copies, reads back what was written, and compares; gives the digest of it. */
  async copy(
    from: ReadableFile,
    to: WritableFile,
    stretch: Stretch,
    leaveHoles: boolean,
  ): Promise<Buffer> {
    const sum = new Sum(stretch.length);
    for (let at = 0; at < stretch.length; at += BUFFER_BYTES) {
      assertGoesOn(this.#counters);
      const bytes = await this.#fill(from, 'source', stretch, at);
      sum.add(bytes);
      const position = stretch.offset + at;
      await touching('target', stretch.path, () =>
        leaveHoles ? this.#writeAround(to, bytes, position) : to.write(bytes, position),
      );
      const targetBytes = await this.#fill(to, 'target', stretch, at, this.#back);
      if (!bytes.equals(targetBytes)) {
        const message = `target ${stretch.path()} does not hold what was written to it`;
        throw new MoveError('VerificationFailed', message, stretch.path());
      }
      this.#counters.addCopied(bytes.length);
    }
    return sum.digest();
  }
}
