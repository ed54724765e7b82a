/** Counts of all workers together, and the sign to stop; shared between threads. */
export class Counters {
  readonly shared: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(shared = new SharedArrayBuffer(5 * 8)) {
    this.shared = shared;
    this.#cells = new BigInt64Array(shared);
  }

  addCopied(bytes: number): void {
    Atomics.add(this.#cells, 0, BigInt(bytes));
  }

  /** Bytes that were there already. */
  addKept(bytes: number): void {
    Atomics.add(this.#cells, 1, BigInt(bytes));
  }

  addFile(): void {
    Atomics.add(this.#cells, 2, 1n);
  }

  stop(): void {
    Atomics.store(this.#cells, 3, 1n);
  }

  addRetry(): void {
    Atomics.add(this.#cells, 4, 1n);
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
