import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { FlushHealth } from '../store/flush-health.ts';
import type { Store } from '../store/store.ts';

export interface StoreRecoveryOptions {
  readonly store: Store;
  readonly health: FlushHealth;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info'>;
}

/** Interval of attempts to write again after the disk failed. */
const TRY_EVERY_MS = 2_000;

/** Not a valid cluster name, so the table is out of reach of clients. */
const TABLE = '.health';
const KEY = 'flush';

/**
 * Detects that a store whose flushes failed can write again: a server that is not ready gets no requests whose
 * writes would show it.
 */
export class StoreRecovery implements AsyncDisposable {
  readonly #options: StoreRecoveryOptions;
  readonly #stop = new AbortController();
  #trying: Promise<void> | undefined;

  constructor(options: StoreRecoveryOptions) {
    this.#options = options;
  }

  /** Begins to try; it does not matter whether it has begun already. */
  begin(): void {
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#trying;
  }

  async #try(): Promise<void> {
    const { store, health, clock, logger } = this.#options;
    const { signal } = this.#stop;
    while (health.hasFailed) {
      try {
        await clock.sleep(TRY_EVERY_MS, signal);
        await store.write(TABLE, KEY, () => ({ put: { metadata: { name: KEY } } }));
        await store.write(TABLE, KEY, () => ({ remove: true }));
      } catch {
        // The health check has the reason, and the probe reports it.
        if (signal.aborted) return;
      }
    }
    logger.info('the store writes to its disk again');
  }
}
