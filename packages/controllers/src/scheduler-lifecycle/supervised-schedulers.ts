import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import type { ProcessContext, SchedulerProcesses } from './scheduler-processes.ts';

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

/**
 * Keeps schedulers running: one that ends without being asked to is started again, later each time. They end
 * with the term of the leader that asked for them: the next one has its own.
 */
export class SupervisedSchedulers implements SchedulerProcesses, AsyncDisposable {
  readonly #options: SupervisedSchedulersOptions;
  readonly #running = new Map<string, Supervised>();

  constructor(options: SupervisedSchedulersOptions) {
    this.#options = options;
  }

  async start(
    { metadata: { name } }: { readonly metadata: { readonly name: string } },
    { signal }: Pick<ProcessContext, 'signal'>,
  ): Promise<void> {
    if (this.#running.has(name)) return;
    const stop = new AbortController();
    const ended = this.#supervise(name, AbortSignal.any([stop.signal, signal])).finally(() =>
      this.#running.delete(name),
    );
    this.#running.set(name, { stop, ended });
  }

  async stop(name: string): Promise<true> {
    const supervised = this.#running.get(name);
    supervised?.stop.abort();
    await supervised?.ended;
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.keys()].map((name) => this.stop(name)));
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
