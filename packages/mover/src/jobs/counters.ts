const CELLS = 7;
/** So much is kept of the reason of a retry. */
const REASON_BYTES = 512;

/** Counts of all workers together, and the sign to stop; shared between threads. */
export class Counters {
  readonly shared: SharedArrayBuffer;
  readonly #cells: BigInt64Array;
  /** Why something was tried again the last time, and zeros. */
  readonly #reason: Buffer;

  constructor(shared = new SharedArrayBuffer(CELLS * 8 + REASON_BYTES)) {
    this.shared = shared;
    this.#cells = new BigInt64Array(shared, 0, CELLS);
    this.#reason = Buffer.from(shared, CELLS * 8, REASON_BYTES);
  }

  addCopied(bytes: number): void {
    Atomics.add(this.#cells, 0, BigInt(bytes));
  }

  /** Bytes that were there already. */
  addKept(bytes: number): void {
    Atomics.add(this.#cells, 1, BigInt(bytes));
  }

  /** Bytes that were read to know their digest, before they are copied. */
  addRead(bytes: number): void {
    Atomics.add(this.#cells, 6, BigInt(bytes));
  }

  get readBytes(): number {
    return Number(Atomics.load(this.#cells, 6));
  }

  addFile(): void {
    Atomics.add(this.#cells, 2, 1n);
  }

  stop(): void {
    Atomics.store(this.#cells, 3, 1n);
  }

  addRetry(reason: string): void {
    Atomics.add(this.#cells, 4, 1n);
    // Of several at a time, one is as good as the others.
    if (Atomics.exchange(this.#cells, 5, 1n) !== 0n) return;
    this.#reason.fill(0);
    this.#reason.write(reason);
    Atomics.store(this.#cells, 5, 0n);
  }

  /** Why something was tried again the last time; empty while another thread says it. */
  get retryReason(): string {
    if (Atomics.exchange(this.#cells, 5, 1n) !== 0n) return '';
    const text = this.#reason.toString();
    Atomics.store(this.#cells, 5, 0n);
    return text.replace(/\0.*$/s, '');
  }

  get retries(): number {
    return Number(Atomics.load(this.#cells, 4));
  }

  get copiedBytes(): number {
    return Number(Atomics.load(this.#cells, 0));
  }

  get keptBytes(): number {
    return Number(Atomics.load(this.#cells, 1));
  }

  get files(): number {
    return Number(Atomics.load(this.#cells, 2));
  }

  get isStopped(): boolean {
    return Atomics.load(this.#cells, 3) !== 0n;
  }
}
