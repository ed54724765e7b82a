import type { Clock } from '@perigee/kube/clock/clock';
import type { Logger } from '@perigee/kube/observe/logger';
import { type ChangeListener, ChangeListeners } from '../../members/change-listeners.ts';
import type { ProcessContext, SchedulerExit, SchedulerProcesses } from './scheduler-processes.ts';

/** Runs one scheduler. Settles when it has exited, by itself or because the signal was aborted. */
export type LaunchScheduler = (scheduler: string, signal: AbortSignal) => Promise<void>;

export interface SupervisedSchedulersOptions {
  readonly launch: LaunchScheduler;
  readonly clock: Clock;
  readonly logger: Logger;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** After running this long, the back-off is reset. */
const PROVED_MS = 300_000;

const LONGEST_REASON = 1024;

const reasonOf = (error: unknown): string => {
  if (error === undefined) return 'it ended with 0';
  return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON);
};

interface Supervised {
  readonly stop: AbortController;
  readonly end: Promise<void>;
}

/**
 * Keeps schedulers running: an unexpected exit is followed by a restart with exponential back-off. All of them end
 * with the leader's term: the next leader starts its own.
 */
export class SupervisedSchedulers implements SchedulerProcesses, AsyncDisposable {
  readonly #options: SupervisedSchedulersOptions;
  readonly #supervised = new Map<string, Supervised>();
  readonly #exits = new Map<string, SchedulerExit>();
  readonly #listeners = new ChangeListeners();

  constructor(options: SupervisedSchedulersOptions) {
    this.#options = options;
  }

  async start(
    { metadata: { name } }: { readonly metadata: { readonly name: string } },
    { signal }: Pick<ProcessContext, 'signal'>,
  ): Promise<void> {
    if (this.#supervised.has(name)) return;
    const stop = new AbortController();
    const end = this.#supervise(name, AbortSignal.any([stop.signal, signal])).finally(() =>
      this.#supervised.delete(name),
    );
    this.#supervised.set(name, { stop, end });
  }

  async stop(name: string): Promise<true> {
    const supervised = this.#supervised.get(name);
    supervised?.stop.abort();
    await supervised?.end;
    this.#exits.delete(name);
    return true;
  }

  lastExit(name: string): SchedulerExit | undefined {
    return this.#exits.get(name);
  }

  onChange(listener: ChangeListener): Disposable {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#supervised.keys()].map((name) => this.stop(name)));
  }

  #note(scheduler: string, exit: SchedulerExit): void {
    this.#exits.set(scheduler, exit);
    this.#listeners.notify(scheduler);
  }

  async #supervise(scheduler: string, signal: AbortSignal): Promise<void> {
    const { launch, clock, logger } = this.#options;
    let waitMs = FIRST_WAIT_MS;
    let restarts = 0;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const error = await launch(scheduler, signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (signal.aborted) return;
      if (clock.monotonic() - startedAt >= PROVED_MS) [waitMs, restarts] = [FIRST_WAIT_MS, 0];
      restarts += 1;
      logger.warn('a scheduler ended and will be started again', { scheduler, waitMs, error });
      const atMs = clock.now();
      const exit = { reason: reasonOf(error), atMs, restarts };
      this.#note(scheduler, { ...exit, nextStartMs: atMs + waitMs });
      await clock.sleep(waitMs, signal).catch(() => {});
      this.#note(scheduler, exit);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    }
  }
}
