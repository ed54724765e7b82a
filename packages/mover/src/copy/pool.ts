import { Worker } from 'node:worker_threads';
import { TreeDigest } from '../digest/tree-digest.ts';
import { MoveError } from '../errors.ts';
import type { DamageReason } from '../jobs/assert-unchanged.ts';
import type { Counters } from '../jobs/counters.ts';
import {
  type Answer,
  type Job,
  type Outcome,
  type ToWorker,
  toWire,
  type WorkerData,
} from '../jobs/job.ts';
import { lanesOf } from '../open/open-worker-ends.ts';
import type { Place, TargetPlace } from '../place.ts';

export interface PoolOptions {
  readonly from: Place;
  readonly to: TargetPlace;
  readonly flush: boolean;
  readonly damageReason: DamageReason;
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
  readonly #options: PoolOptions;
  readonly #workers: Worker[] = [];
  /** Jobs at a time: where files wait for a server, the next ones are there before the last ones are done. */
  readonly #depth: number;
  /** Workers that take another job; one that takes two is there twice. */
  readonly #idle: Worker[] = [];
  readonly #queue: Task[] = [];
  readonly #running = new Map<number, Task & { readonly worker: Worker }>();
  readonly #failure: AbortController;
  #jobs = 0;
  #change = Promise.withResolvers<void>();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#failure = options.failure;
    this.#depth = lanesOf(options) > 1 ? 2 : 1;
    options.failure.signal.addEventListener('abort', () => this.#notify());
  }

  /** Starts threads until there are as many. They load their program, and wait until they may begin. */
  grow(size: number): void {
    const { counters, failure: _, ...order } = this.#options;
    while (this.#workers.length < size) {
      const index = this.#workers.length;
      const data: WorkerData = { ...order, index, counters: counters.shared };
      const worker = new Worker(new URL('./worker.js', import.meta.url), {
        workerData: data,
        // Paths and digests of files live short; this lets most of them die before they are moved.
        resourceLimits: { maxYoungGenerationSizeMb: 32 },
      });
      worker.on('message', (answer: Answer) => this.#hear(worker, answer));
      worker.on('error', (error) => this.#lose(worker, error));
      this.#workers.push(worker);
      this.#idle.push(worker);
      // Its second job comes when each has a first one.
      for (let jobs = 1; jobs < this.#depth; jobs++) this.#idle.unshift(worker);
    }
  }

  /** No more threads are started; they get the folder of files that have no name yet. */
  begin(partsAddress: Buffer): void {
    const begin = { kind: 'begin', partsAddress: toWire(partsAddress) } as const;
    for (const worker of this.#workers) this.#post(worker, begin);
  }

  #post(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }

  #notify(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  #fail(error: unknown): void {
    // The first failure is the cause; the others follow from it.
    if (!this.#failure.signal.aborted) this.#failure.abort(error);
  }

  /** A thread that has ended, for example for want of memory, answers nothing more. */
  #lose(worker: Worker, error: unknown): void {
    for (const [id, task] of this.#running) if (task.worker === worker) this.#running.delete(id);
    this.#fail(error);
    this.#notify();
  }

  #hear(worker: Worker, answer: Answer): void {
    const task = this.#running.get(answer.id);
    this.#running.delete(answer.id);
    this.#idle.push(worker);
    if (this.#failure.signal.aborted) {
      this.#notify();
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
    this.#notify();
  }

  #start(): void {
    while (this.#idle.length > 0 && !this.#failure.signal.aborted) {
      const task = this.#queue.shift();
      const worker = task && this.#idle.pop();
      if (!task || !worker) return;
      const id = this.#jobs++;
      this.#running.set(id, { ...task, worker });
      this.#post(worker, { kind: 'job', id, job: task.job });
    }
  }

  /** Takes a job as soon as there is room for it. */
  async submit(job: Job, done: Done): Promise<void> {
    while (this.#queue.length >= 2 * this.#workers.length) {
      this.#failure.signal.throwIfAborted();
      await this.#change.promise;
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
        const { promise, resolve, reject } = Promise.withResolvers<Uint16Array>();
        worker.removeAllListeners('message').once('message', resolve).once('error', reject);
        this.#post(worker, { kind: 'finish' });
        digest.merge(await promise);
      }),
    );
    return digest;
  }

  /** Lets each thread come to the end of what it does, so that it can put away what it began. */
  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#running.size > 0) await this.#change.promise;
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
