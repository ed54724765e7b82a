const SLAB_BYTES = 2 ** 16;

/**
 * Copies many small buffers into few slabs: a buffer with memory of its own costs some 400 bytes beside its
 * content. Neighbours should live about as long, because a slab is freed as a whole.
 */
export class SlabCopier {
  #slab = Buffer.alloc(0);
  #usedBytes = 0;

  copy(source: Buffer, from: number, to: number): Buffer {
    const length = to - from;
    if (length > SLAB_BYTES / 4) {
      const own = Buffer.allocUnsafeSlow(length);
      source.copy(own, 0, from, to);
      return own;
    }
    if (this.#usedBytes + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#usedBytes = 0;
    }
    const start = this.#usedBytes;
    this.#usedBytes += source.copy(this.#slab, start, from, to);
    return this.#slab.subarray(start, this.#usedBytes);
  }
}
