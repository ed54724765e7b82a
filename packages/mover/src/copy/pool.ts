import { Worker } from 'node:worker_threads';
import { TreeDigest } from '../digest/tree-digest.ts';
import { MoveError } from '../errors.ts';
import type { Counters } from '../jobs/counters.ts';
import { type Answer, type Job, type Outcome, toWire, type WorkerData } from '../jobs/job.ts';
import type { Place, TargetPlace } from '../place.ts';

export interface PoolOptions {
  readonly size: number;
  readonly from: Place;
  readonly to: TargetPlace;
  readonly partsAddress: Buffer;
  readonly flush: boolean;
  readonly counters: Counters;
  /** Aborted when the move fails or is cancelled. */
  readonly failure: AbortController;
}

type Done = (outcomes: readonly Outcome[]) => void;

interface Task {
  readonly job: Job;
  readonly done: Done;
}

/** Threads that move bytes. Each waits for its own disk, so that several are at it at a time. */
export class Pool implements AsyncDisposable {
  readonly #workers: readonly Worker[];
  readonly #idle: Worker[] = [];
  readonly #queue: Task[] = [];
  readonly #running = new Map<Worker, Task>();
  readonly #failure: AbortController;
  #news = Promise.withResolvers<void>();

  constructor({ size, from, to, partsAddress, flush, counters, failure }: PoolOptions) {
    this.#failure = failure;
    this.#workers = Array.from({ length: size }, (_, index) => {
      const data: WorkerData = {
        index,
        from,
        to,
        partsAddress: toWire(partsAddress),
        flush,
        counters: counters.shared,
      };
      const worker = new Worker(new URL('./worker.js', import.meta.url), {
        workerData: data,
        // Paths and digests of files live short; this lets most of them die before they are moved.
        resourceLimits: { maxYoungGenerationSizeMb: 32 },
      });
      worker.on('message', (answer: Answer) => this.#hear(worker, answer));
      worker.on('error', (error) => this.#fail(error));
      return worker;
    });
    this.#idle.push(...this.#workers);
    failure.signal.addEventListener('abort', () => this.#tell());
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  #fail(error: unknown): void {
    // The first failure is the cause; the others follow from it.
    if (!this.#failure.signal.aborted) this.#failure.abort(error);
  }

  #hear(worker: Worker, answer: Answer): void {
    const task = this.#running.get(worker);
    this.#running.delete(worker);
    this.#idle.push(worker);
    if (this.#failure.signal.aborted) {
      this.#tell();
      return;
    }
    if (answer.ok) {
      try {
        task?.done(answer.outcomes);
      } catch (error) {
        this.#fail(error);
      }
    } else this.#fail(new MoveError(answer.reason, answer.message, answer.path));
    this.#start();
    this.#tell();
  }

  #start(): void {
    while (this.#idle.length > 0 && !this.#failure.signal.aborted) {
      const task = this.#queue.shift();
      const worker = task && this.#idle.pop();
      if (!task || !worker) return;
      this.#running.set(worker, task);
      worker.postMessage(task.job);
    }
  }

  /** Takes a job as soon as there is room for it. */
  async submit(job: Job, done: Done): Promise<void> {
    while (this.#queue.length >= 2 * this.#workers.length) {
      this.#failure.signal.throwIfAborted();
      await this.#news.promise;
    }
    this.#failure.signal.throwIfAborted();
    this.#queue.push({ job, done });
    this.#start();
  }

  /** Ends the threads, and returns the digest of all small files that they moved. */
  async finish(): Promise<TreeDigest> {
    const digest = new TreeDigest();
    await Promise.all(
      this.#workers.map(async (worker) => {
        const { promise, resolve } = Promise.withResolvers<Uint16Array>();
        worker.removeAllListeners('message').once('message', resolve);
        worker.postMessage('finish');
        digest.merge(await promise);
      }),
    );
    return digest;
  }

  /** Lets each thread come to the end of what it does, so that it can put away what it began. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#running.size > 0) await this.#news.promise;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
