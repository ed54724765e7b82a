import type { Clock } from '@perigee/kube/clock/clock';
import { retryDelayMs } from '@perigee/scheduling/data/provision/retry-delay';
import type { Provisioner } from './provisioner.ts';

/** A question that somebody puts to a provisioner. */
export interface Question {
  /** Who asks. */
  readonly key: string;
  readonly text: string;
  readonly provisioner: Provisioner;
}

interface Asked<News> extends Question {
  readonly failures: number;
  readonly notBeforeMs: number;
  readonly news: News;
}

/**
 * Remembers who asked what and when, so that whatever else happens to an object does not make it ask sooner; and what
 * came of it, since to write that down may take another try.
 */
export class AskedQuestions<News> {
  readonly #clock: Clock;
  readonly #asked = new Map<string, Asked<News>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(key: string): boolean {
    return this.#asked.has(key);
  }

  /** How long to wait before the question is put again; nothing when it may be put now. */
  waiting(question: Question): { readonly waitMs: number; readonly news: News } | undefined {
    const asked = this.#same(question);
    // A fraction that is too small to be added to a time would be waited for again and again.
    const waitMs = Math.ceil((asked?.notBeforeMs ?? 0) - this.#clock.monotonic());
    return asked === undefined || waitMs <= 0 ? undefined : { waitMs, news: asked.news };
  }

  /** Notes that there was an answer. Gives when to ask again. */
  answered(question: Question, news: News, againMs: number): number {
    this.#note({ ...question, failures: 0, news }, againMs);
    return againMs;
  }

  /** Notes that there was none that can be used. Gives when to ask again. */
  failed(question: Question, news: News, leastMs = 0): number {
    const failures = (this.#same(question)?.failures ?? 0) + 1;
    const { retry, recheckMs } = question.provisioner.config;
    const delayMs = retryDelayMs(retry, failures, recheckMs, () => this.#clock.random());
    const againMs = Math.max(leastMs, delayMs);
    this.#note({ ...question, failures, news }, againMs);
    return againMs;
  }

  forget(key: string): void {
    const asked = this.#asked.get(key);
    asked?.provisioner.forget(key);
    this.#asked.delete(key);
  }

  #same({ key, text, provisioner }: Question): Asked<News> | undefined {
    const asked = this.#asked.get(key);
    return asked?.text === text && asked.provisioner === provisioner ? asked : undefined;
  }

  #note(asked: Omit<Asked<News>, 'notBeforeMs'>, againMs: number): void {
    this.#asked.set(asked.key, { ...asked, notBeforeMs: this.#clock.monotonic() + againMs });
  }
}
