import type { Clock } from '@perigee/kube/clock/clock';
import { retryDelayMs } from '@perigee/scheduling/data/provision/retry-delay';
import type { Provisioner } from './provisioner.ts';

interface Asked {
  readonly question: string;
  readonly provisioner: Provisioner;
  readonly failures: number;
  readonly notBeforeMs: number;
}

/** Remembers who asked what and when, so that whatever else happens to an object does not make it ask sooner. */
export class AskedQuestions {
  readonly #clock: Clock;
  readonly #asked = new Map<string, Asked>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(key: string): boolean {
    return this.#asked.has(key);
  }

  /** How long to wait before the question is put again; nothing when it may be put now. */
  waitMs(key: string, question: string, provisioner: Provisioner): number | undefined {
    const asked = this.#asked.get(key);
    if (asked?.question !== question || asked.provisioner !== provisioner) return undefined;
    const leftMs = asked.notBeforeMs - this.#clock.monotonic();
    return leftMs > 0 ? leftMs : undefined;
  }

  /** Notes that there was an answer. Gives when to ask again. */
  answered(key: string, question: string, provisioner: Provisioner, againMs: number): number {
    this.#note(key, { question, provisioner, failures: 0 }, againMs);
    return againMs;
  }

  /** Notes that there was none that can be used. Gives when to ask again. */
  failed(key: string, question: string, provisioner: Provisioner, leastMs = 0): number {
    const before = this.#asked.get(key);
    const isSame = before?.question === question && before.provisioner === provisioner;
    const failures = isSame ? before.failures + 1 : 1;
    const { retry, recheckMs } = provisioner.config;
    const delayMs = retryDelayMs(retry, failures, recheckMs, () => this.#clock.random());
    const againMs = Math.max(leastMs, delayMs);
    this.#note(key, { question, provisioner, failures }, againMs);
    return againMs;
  }

  forget(key: string): void {
    const asked = this.#asked.get(key);
    asked?.provisioner.forget(key);
    this.#asked.delete(key);
  }

  #note(key: string, asked: Omit<Asked, 'notBeforeMs'>, againMs: number): void {
    this.#asked.set(key, { ...asked, notBeforeMs: this.#clock.monotonic() + againMs });
  }
}
