/** Time, as far as a move needs it. */
export interface MoverClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never go backwards. */
  monotonic(): number;
  /** Calls again and again, until it is disposed. */
  every(delayMs: number, run: () => void): Disposable;
  /** Lets everything else that is due go on. */
  yield(): Promise<void>;
  delay(delayMs: number): Promise<void>;
}
