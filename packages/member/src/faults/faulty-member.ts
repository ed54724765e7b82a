import type { Client, WatchEvent } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { ConnectionError } from '@perigee/kube/errors';
import { eitherSignal } from '@perigee/kube/leader-election/either-signal';
import { type Faults, NO_FAULTS } from './faults.ts';

const NEVER = new AbortController().signal;

const unreachable = (): ConnectionError =>
  new ConnectionError('the member cluster was made unreachable', { failure: 'unreachable' });

/** The control plane's connection to a member, with faults injected. The member itself is not affected. */
export class FaultyMember {
  /** The client of the control plane. */
  readonly client: Client;
  readonly #inner: Client;
  readonly #clock: Clock;
  #faults: Faults = NO_FAULTS;
  /** Aborts all requests in flight. */
  #line = new AbortController();

  constructor(inner: Client, clock: Clock) {
    this.#inner = inner;
    this.#clock = clock;
    this.client = this.#wrap();
  }

  set(faults: Faults): void {
    this.#faults = faults;
    if (!faults.isUnreachable) return;
    this.#line.abort(unreachable());
    this.#line = new AbortController();
  }

  async #reach(signal: AbortSignal | undefined): Promise<void> {
    const { delayMs } = this.#faults;
    if (!this.#faults.isUnreachable && delayMs > 0) await this.#clock.sleep(delayMs, signal);
    // The fault may have been injected during the request.
    if (this.#faults.isUnreachable) throw unreachable();
  }

  async #call<T>(
    options: { readonly signal?: AbortSignal } | undefined,
    call: () => Promise<T>,
  ): Promise<T> {
    await this.#reach(options?.signal);
    return call();
  }

  async *#watch<T>(
    signal: AbortSignal | undefined,
    open: (signal: AbortSignal) => AsyncIterable<WatchEvent<T>>,
  ): AsyncGenerator<WatchEvent<T>> {
    await this.#reach(signal);
    using either = eitherSignal(this.#line.signal, signal ?? NEVER);
    yield* open(either.signal);
  }

  #wrap(): Client {
    const inner = this.#inner;
    return {
      get: (kind, ref, options) => this.#call(options, () => inner.get(kind, ref, options)),
      list: (kind, options) => this.#call(options, () => inner.list(kind, options)),
      watch: (kind, options) =>
        this.#watch(options?.signal, (signal) => inner.watch(kind, { ...options, signal })),
      create: (kind, object, options) =>
        this.#call(options, () => inner.create(kind, object, options)),
      update: (kind, object, options) =>
        this.#call(options, () => inner.update(kind, object, options)),
      patch: (kind, ref, patch, options) =>
        this.#call(options, () => inner.patch(kind, ref, patch, options)),
      delete: (kind, ref, options) => this.#call(options, () => inner.delete(kind, ref, options)),
      deleteCollection: (kind, options) =>
        this.#call(options, () => inner.deleteCollection(kind, options)),
      discover: (options) => this.#call(options, () => inner.discover(options)),
      version: (options) => this.#call(options, () => inner.version(options)),
      podLog: (pod, options) =>
        this.#call(options, async () => (await inner.podLog?.(pod, options)) ?? ''),
      ready: (options) => this.#call(options, async () => (await inner.ready?.(options)) ?? true),
    };
  }
}
