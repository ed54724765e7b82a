import type { Clock } from './clock.ts';
import type { Deadline } from './deadline.ts';

/** A deadline that notifies its owner when its time is up. */
export interface SharedDeadline extends Deadline {
  /** Callback for the abort; cheaper than a listener on the signal. */
  onEnd: (() => void) | undefined;
}

class Running implements SharedDeadline {
  readonly dueAt: number;
  onEnd: (() => void) | undefined;
  readonly #controller = new AbortController();
  readonly #all: Set<Running>;

  constructor(dueAt: number, all: Set<Running>) {
    this.dueAt = dueAt;
    this.#all = all;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(reason: unknown): void {
    this.#all.delete(this);
    this.#controller.abort(reason);
    this.onEnd?.();
  }

  [Symbol.dispose](): void {
    this.#all.delete(this);
  }
}

/**
 * The deadlines of much that begins again and again and may take equally long: one timer, that of the first, and one
 * listener to the parent serve them all. Each is like one of `deadlineAfter`.
 */
export class Deadlines implements Disposable {
  readonly #clock: Pick<Clock, 'monotonic' | 'timer'>;
  readonly #delayMs: number;
  readonly #parent: AbortSignal;
  /** In the order in which they are due. */
  readonly #running = new Set<Running>();
  #timer: Disposable | undefined;

  constructor(
    clock: Pick<Clock, 'monotonic' | 'timer'>,
    delayMs: number,
    /** Ends all of them. */
    parent: AbortSignal,
  ) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#parent = parent;
    parent.addEventListener('abort', this.#endAll, { once: true });
  }

  start(): SharedDeadline {
    const deadline = new Running(this.#clock.monotonic() + this.#delayMs, this.#running);
    if (this.#parent.aborted) {
      deadline.end(this.#parent.reason);
      return deadline;
    }
    this.#running.add(deadline);
    // One that is set already is due no later; it is set on when it finds nothing due.
    this.#timer ??= this.#clock.timer(this.#delayMs, () => this.#ring(deadline.dueAt));
    return deadline;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#parent.removeEventListener('abort', this.#endAll);
  }

  /** A timer may fire a hair before its time; what it was set for counts as due all the same. */
  #ring(dueAt: number): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const deadline of this.#running) {
      if (deadline.dueAt > Math.max(now, dueAt)) {
        this.#timer = this.#clock.timer(deadline.dueAt - now, () => this.#ring(deadline.dueAt));
        return;
      }
      const message = `Timed out after ${this.#delayMs} ms`;
      deadline.end(new DOMException(message, 'TimeoutError'));
    }
  }

  readonly #endAll = (): void => {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    for (const deadline of this.#running) deadline.end(this.#parent.reason);
  };
}
