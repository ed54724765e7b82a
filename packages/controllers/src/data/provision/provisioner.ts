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

/** Rate limit per provisioner, in requests per second: enough for a catalogue, even if many claims arrive at once. */
const PER_SECOND = 50;

/** A configured provisioner for the data of one system. */
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

  /**
   * Admits a request now, or returns the wait: the limits are per provisioner, so that a slow one only delays
   * itself. Tenants take turns.
   */
  enter(key: string, tenant = ''): Entry {
    return this.#gate.enter(this.config.system, key, tenant);
  }

  /** Drops the waiting turn of a key. */
  forget(key: string): void {
    this.#gate.forget(this.config.system, key);
  }

  /** Throws a `ConnectionError` if there is no response. */
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
