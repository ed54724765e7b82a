const NEWLINE = 10;

/** Cuts a stream of bytes into lines. Works on bytes, so a character split between chunks is whole again. */
export class LineSplitter {
  readonly #longestBytes: number;
  #beginning: Buffer[] = [];
  #beginningBytes = 0;

  constructor(longestBytes: number) {
    this.#longestBytes = longestBytes;
  }

  /** Limit of an unfinished line. */
  get pendingBytes(): number {
    return this.#beginningBytes;
  }

  /** The lines that this chunk completes. Throws a RangeError when a line grows too long. */
  push(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#checkLength(end - start);
      if (this.#beginningBytes === 0) {
        lines.push(chunk.toString('utf8', start, end));
      } else {
        this.#beginning.push(chunk.subarray(start, end));
        lines.push(Buffer.concat(this.#beginning).toString('utf8'));
        this.#beginning = [];
        this.#beginningBytes = 0;
      }
      start = end + 1;
    }
    const rest = chunk.length - start;
    this.#checkLength(rest);
    if (rest > 0) {
      this.#beginning.push(chunk.subarray(start));
      this.#beginningBytes += rest;
    }
    return lines;
  }

  #checkLength(more: number): void {
    if (this.#beginningBytes + more > this.#longestBytes) {
      throw new RangeError(`a line is longer than ${this.#longestBytes} bytes`);
    }
  }
}
