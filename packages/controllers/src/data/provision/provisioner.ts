import type { Clock } from '@perigee/kube/clock/clock';
import type { DataQuestion } from '@perigee/scheduling/data/provision/data-question';
import type { ProvisionerConfig } from '@perigee/scheduling/data/provision/provisioner-config';
import type { ProvisionerAnswer } from '@perigee/scheduling/data/provision/read-answer';
import { type Entry, MemberGate } from '../../members/member-gate.ts';
import { askAmoro } from './ask-amoro.ts';
import { type Asking, askWebhook } from './ask-webhook.ts';
import { ProvisionerConnection } from './provisioner-connection.ts';
import type { ProvisionerCredentials } from './provisioner-credentials.ts';
import type { ProvisionerMetrics } from './provisioner-metrics.ts';

/** Many claims may come at once; so many questions a second are enough for a catalogue. */
const PER_SECOND = 50;

/** One that can be asked where the data of its system is. */
export class Provisioner implements AsyncDisposable {
  readonly config: ProvisionerConfig;
  readonly #connection: ProvisionerConnection;
  readonly #gate: MemberGate;
  readonly #metrics: ProvisionerMetrics;

  constructor(
    config: ProvisionerConfig,
    credentials: ProvisionerCredentials,
    { clock, metrics }: { readonly clock: Clock; readonly metrics: ProvisionerMetrics },
  ) {
    this.config = config;
    this.#metrics = metrics;
    this.#connection = new ProvisionerConnection(config, credentials, clock);
    this.#gate = new MemberGate(clock, {
      perSecond: PER_SECOND,
      burst: PER_SECOND,
      atOnce: config.concurrency,
    });
  }

  /** Leave to ask now, or how long to wait: one that is slow or silent holds up nobody but itself. */
  enter(key: string): Entry {
    return this.#gate.enter(this.config.system, key);
  }

  /** The key will not come back. */
  forget(key: string): void {
    this.#gate.forget(this.config.system, key);
  }

  /** Throws a `ConnectionError` when there is no answer. */
  ask(
    question: DataQuestion,
    asking: Asking | undefined,
    signal: AbortSignal,
  ): Promise<ProvisionerAnswer> {
    return this.#metrics.measure(this.config.system, signal, () =>
      this.config.plugin === 'amoro'
        ? askAmoro(this.config, this.#connection, question, signal)
        : askWebhook(this.config, this.#connection, question, asking, signal),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }
}
