/**
 * The only source of time and chance. Everything that waits, times out, backs off, stamps a moment
 * or makes up a name gets one of these, so that the whole control plane can run on a virtual clock.
 */
export interface Clock {
  /** Milliseconds since the epoch, with a fraction down to the microsecond. May jump. */
  now(): number;
  /** Milliseconds that never go backwards: for measuring how long something took. */
  monotonic(): number;
  /** Milliseconds for which the process has computed; while it waits, they stand still. */
  busy(): number;
  /** Runs the function once after the delay; disposing the timer cancels it. */
  timer(delayMs: number, run: () => void): Disposable;
  /** Resolves after the delay; rejects with the signal's reason when it is aborted first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /**
   * Lets everybody else go on, for whoever has more to do than fits into one go. Resolves in a later
   * turn of the event loop, and in each turn for one caller only.
   */
  yield(): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
  /** A version 4 UUID. */
  uuid(): string;
}
