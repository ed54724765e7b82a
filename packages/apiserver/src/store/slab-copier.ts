const SLAB_BYTES = 2 ** 16;

/**
 * Copies many small buffers into few slabs: a buffer with memory of its own costs some 400 bytes beside its
 * content. Neighbours should live about as long, because a slab is freed as a whole.
 */
export class SlabCopier {
  #slab = Buffer.alloc(0);
  #used = 0;

  copy(source: Buffer, from: number, to: number): Buffer {
    const length = to - from;
    if (length > SLAB_BYTES / 4) {
      const own = Buffer.allocUnsafeSlow(length);
      source.copy(own, 0, from, to);
      return own;
    }
    if (this.#used + length > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += source.copy(this.#slab, start, from, to);
    return this.#slab.subarray(start, this.#used);
  }
}
