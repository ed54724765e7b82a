export type Phase = 'scan' | 'copy' | 'finish';

/** Counts of a move at a moment. */
export interface Sample {
  readonly atMs: number;
  readonly phase: Phase;
  readonly bytesTotal: number;
  /** Bytes that were taken from the source, and those that were there. */
  readonly bytesCopied: number;
  readonly bytesKept: number;
  readonly filesTotal: number;
  readonly filesDone: number;
  /** Requests that were made again. */
  readonly retries?: number;
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
  /** Missing while nothing is known of the speed. */
  readonly secondsLeft?: number;
}

/** Older speed counts for half after this time. */
const HALF_LIFE_MS = 5000;

const part = (done: number, total: number): number => (total === 0 ? 1 : Math.min(1, done / total));

/** Turns samples into progress; the speed is smoothed, so that the time that is left does not jump. */
export class Speedometer {
  #last: Sample | undefined;
  #bytesPerMs: number | undefined;

  take(sample: Sample): Progress {
    const doneNow = sample.bytesCopied + sample.bytesKept;
    const last = this.#last;
    const elapsed = sample.atMs - (last?.atMs ?? sample.atMs);
    if (last && elapsed > 0) {
      const speed = Math.max(0, doneNow - last.bytesCopied - last.bytesKept) / elapsed;
      const weight = 0.5 ** (elapsed / HALF_LIFE_MS);
      this.#bytesPerMs =
        this.#bytesPerMs === undefined ? speed : this.#bytesPerMs * weight + speed * (1 - weight);
    }
    if (!last || elapsed > 0) this.#last = sample;
    return this.#report(sample, Math.min(doneNow, sample.bytesTotal));
  }

  #report(sample: Sample, bytesDone: number): Progress {
    const { phase, bytesTotal, filesTotal } = sample;
    const filesDone = Math.min(sample.filesDone, filesTotal);
    // A tree of empty files is measured by their number.
    const share = bytesTotal > 0 ? part(bytesDone, bytesTotal) : part(filesDone, filesTotal);
    const bytesPerMs = this.#bytesPerMs ?? 0;
    const bytesLeft = bytesTotal - bytesDone;
    return {
      phase,
      bytesDone,
      bytesTotal,
      filesDone,
      filesTotal,
      percentage: phase === 'scan' ? 0 : Math.floor(share * 1000) / 10,
      bytesPerSecond: Math.round(bytesPerMs * 1000),
      ...(sample.retries ? { retries: sample.retries } : {}),
      ...(phase !== 'scan' &&
        bytesPerMs > 0 && { secondsLeft: Math.ceil(bytesLeft / bytesPerMs / 1000) }),
    };
  }
}
