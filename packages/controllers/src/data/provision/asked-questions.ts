import type { Clock } from '@perigee/kube/clock/clock';
import { retryDelayMs } from '@perigee/scheduling/data/provision/retry-delay';
import type { Provisioner } from './provisioner.ts';

/** A question to a provisioner. */
export interface Question {
  /** The key of the object that asks. */
  readonly key: string;
  readonly text: string;
  readonly provisioner: Provisioner;
}

interface Asked<Result> extends Question {
  readonly failures: number;
  readonly notBeforeMs: number;
  readonly result: Result;
}

/**
 * Remembers each object's last question with its time, so that other events do not repeat it early, and its result,
 * since writing it to the object may take a retry.
 */
export class AskedQuestions<Result> {
  readonly #clock: Clock;
  readonly #questions = new Map<string, Asked<Result>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(key: string): boolean {
    return this.#questions.has(key);
  }

  /** Time until the question may be repeated, with the last result; undefined if it may be asked now. */
  waiting(question: Question): { readonly waitMs: number; readonly result: Result } | undefined {
    const entry = this.#same(question);
    // Rounded up: a wait too small to advance the clock would repeat for ever.
    const waitMs = Math.ceil((entry?.notBeforeMs ?? 0) - this.#clock.monotonic());
    return entry === undefined || waitMs <= 0 ? undefined : { waitMs, result: entry.result };
  }

  /** Records a usable answer. Returns the time until the next question. */
  answered(question: Question, result: Result, againMs: number): number {
    this.#note({ ...question, failures: 0, result }, againMs);
    return againMs;
  }

  /** Records a failure. Returns the back-off. */
  failed(question: Question, result: Result, leastMs = 0): number {
    const failures = (this.#same(question)?.failures ?? 0) + 1;
    const { retry, recheckMs } = question.provisioner.config;
    const delayMs = retryDelayMs(retry, failures, recheckMs, () => this.#clock.random());
    const againMs = Math.max(leastMs, delayMs);
    this.#note({ ...question, failures, result }, againMs);
    return againMs;
  }

  forget(key: string): void {
    const entry = this.#questions.get(key);
    entry?.provisioner.forget(key);
    this.#questions.delete(key);
  }

  #same({ key, text, provisioner }: Question): Asked<Result> | undefined {
    const entry = this.#questions.get(key);
    return entry?.text === text && entry.provisioner === provisioner ? entry : undefined;
  }

  #note(entry: Omit<Asked<Result>, 'notBeforeMs'>, againMs: number): void {
    this.#questions.set(entry.key, { ...entry, notBeforeMs: this.#clock.monotonic() + againMs });
  }
}
