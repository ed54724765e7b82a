import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { SchedulerProcesses } from './scheduler-processes.ts';

/** Runs one scheduler. Resolves or rejects when it has ended: by itself, or because the signal was aborted. */
export type LaunchScheduler = (scheduler: string, signal: AbortSignal) => Promise<void>;

export interface SupervisedSchedulersOptions {
  readonly launch: LaunchScheduler;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** A scheduler that ran for so long has proved that it can. */
const PROVED_MS = 300_000;

interface Supervised {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

/** Keeps schedulers running: one that ends without being asked to is started again, later each time. */
export class SupervisedSchedulers implements SchedulerProcesses, AsyncDisposable {
  readonly #options: SupervisedSchedulersOptions;
  readonly #running = new Map<string, Supervised>();

  constructor(options: SupervisedSchedulersOptions) {
    this.#options = options;
  }

  start(scheduler: string): void {
    if (this.#running.has(scheduler)) return;
    const stop = new AbortController();
    this.#running.set(scheduler, { stop, ended: this.#supervise(scheduler, stop.signal) });
  }

  async stop(scheduler: string): Promise<void> {
    const supervised = this.#running.get(scheduler);
    if (supervised === undefined) return;
    supervised.stop.abort();
    await supervised.ended;
    this.#running.delete(scheduler);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.keys()].map((scheduler) => this.stop(scheduler)));
  }

  async #supervise(scheduler: string, signal: AbortSignal): Promise<void> {
    const { launch, clock, logger } = this.#options;
    let waitMs = FIRST_WAIT_MS;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const error = await launch(scheduler, signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (signal.aborted) return;
      if (clock.monotonic() - startedAt >= PROVED_MS) waitMs = FIRST_WAIT_MS;
      logger.warn('a scheduler ended and will be started again', { scheduler, waitMs, error });
      await clock.sleep(waitMs, signal).catch(() => {});
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}
