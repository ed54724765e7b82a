export type Phase = 'scan' | 'copy' | 'finish';

/** Counts of a move at a moment. */
export interface Sample {
  readonly atMs: number;
  readonly phase: Phase;
  readonly bytesTotal: number;
  /** Bytes that were taken from the source, and those that were there. */
  readonly bytesCopied: number;
  readonly bytesKept: number;
  /** Bytes of files whose digest has to be known before they are copied, and those that were read for it. */
  readonly bytesToRead?: number;
  readonly bytesRead?: number;
  readonly filesTotal: number;
  readonly filesDone: number;
  /** Requests that were made again. */
  readonly retries?: number;
  /** Why one was the last time. */
  readonly retryReason?: string;
}

/** Progress of a move, as it is reported. */
export interface Progress {
  readonly phase: Phase;
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly filesDone: number;
  readonly filesTotal: number;
  /** 0 to 100, rounded down to a tenth: 100 means done. */
  readonly percentage: number;
  readonly bytesPerSecond: number;
  /** Requests that were made again; missing when there were none. */
  readonly retries?: number;
  /** Why one was the last time. */
  readonly retryReason?: string;
  /** Missing while nothing is known of the speed. */
  readonly secondsLeft?: number;
}

/** Older speed counts for half after this time. */
const HALF_LIFE_MS = 5000;

const part = (done: number, total: number): number => (total === 0 ? 1 : Math.min(1, done / total));

const workOf = ({ bytesCopied, bytesKept, bytesTotal, bytesRead = 0 }: Sample): number =>
  Math.min(bytesCopied + bytesKept, bytesTotal) + bytesRead;

/** Turns samples into progress; the speed is smoothed, so that the time that is left does not jump. */
export class Speedometer {
  #last: Sample | undefined;
  /** Of all that was copied so far, what is older counting for less. */
  #bytes = 0;
  /** Likewise, with what was read before it is copied: this takes time, too. */
  #work = 0;
  #ms = 0;

  take(sample: Sample): Progress {
    const doneNow = sample.bytesCopied + sample.bytesKept;
    const last = this.#last;
    const elapsed = sample.atMs - (last?.atMs ?? sample.atMs);
    // Nothing is copied while the trees are looked at, which says nothing about how fast it will be.
    if (last && elapsed > 0 && last.phase !== 'scan') {
      const weight = 0.5 ** (elapsed / HALF_LIFE_MS);
      this.#bytes = this.#bytes * weight + Math.max(0, doneNow - last.bytesCopied - last.bytesKept);
      this.#work = this.#work * weight + Math.max(0, workOf(sample) - workOf(last));
      this.#ms = this.#ms * weight + elapsed;
    }
    if (!last || elapsed > 0) this.#last = sample;
    return this.#report(sample, Math.min(doneNow, sample.bytesTotal));
  }

  #report(sample: Sample, bytesDone: number): Progress {
    const { phase, bytesTotal, filesTotal } = sample;
    const filesDone = Math.min(sample.filesDone, filesTotal);
    const workTotal = bytesTotal + (sample.bytesToRead ?? 0);
    const workDone = Math.min(workOf(sample), workTotal);
    // A tree of empty files is measured by their number.
    const share = bytesTotal > 0 ? part(workDone, workTotal) : part(filesDone, filesTotal);
    const [bytesPerMs, workPerMs] =
      this.#ms === 0 ? [0, 0] : [this.#bytes / this.#ms, this.#work / this.#ms];
    return {
      phase,
      bytesDone,
      bytesTotal,
      filesDone,
      filesTotal,
      percentage: phase === 'scan' ? 0 : Math.floor(share * 1000) / 10,
      bytesPerSecond: Math.round(bytesPerMs * 1000),
      ...(sample.retries ? { retries: sample.retries } : {}),
      ...(sample.retryReason ? { retryReason: sample.retryReason } : {}),
      ...(phase !== 'scan' &&
        workPerMs > 0 && { secondsLeft: Math.ceil((workTotal - workDone) / workPerMs / 1000) }),
    };
  }
}
