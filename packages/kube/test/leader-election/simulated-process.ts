import type { Client, WriteOptions } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { sleepOn } from '@perigee/kube/clock/sleep';
import { ConnectionError } from '@perigee/kube/errors';
import { MemoryClient } from '../support/memory-client.ts';
import type { MemoryCluster } from '../support/memory-cluster.ts';

export interface SimulatedProcessOptions {
  readonly cluster: MemoryCluster;
  /** True time, by which the world goes on whatever happens to the process. */
  readonly clock: Clock;
  /** How long a request is under way, and its answer too. */
  readonly latencyMs?: () => number;
  /** True if a request, or its answer, gets lost. */
  readonly isLost?: () => boolean;
  /** Told when the server has done what a write asked for. */
  readonly onWritten?: (options: WriteOptions) => void;
}

/**
 * A process with its own clock and connection. It can be paused (nothing in it goes on, but the world
 * does), cut off from the server, crash, and have its wall clock set.
 */
export class SimulatedProcess {
  readonly clock: Clock;
  readonly client: Client;
  readonly #world: Clock;
  #wallOffset = 0;
  #partitioned = false;
  #crashed = false;
  #paused: (() => void)[] | undefined;

  constructor({ cluster, clock: world, latencyMs, isLost, onWritten }: SimulatedProcessOptions) {
    this.#world = world;
    this.clock = {
      now: () => world.now() + this.#wallOffset,
      monotonic: () => world.monotonic(),
      busy: () => world.busy(),
      timer: (delayMs, run) => this.#timer(delayMs, run),
      sleep: (delayMs, signal) => sleepOn(this.clock, delayMs, signal),
      yield: () => world.yield(),
      random: () => world.random(),
      uuid: () => world.uuid(),
    };
    const travel = async () => {
      if (latencyMs !== undefined) await world.sleep(latencyMs());
    };
    const arrive = () => {
      if (this.#partitioned) throw new ConnectionError('the network is cut');
      if (isLost?.()) throw new ConnectionError('lost by chance');
    };
    this.client = new MemoryClient(cluster, {
      before: async ({ verb }) => {
        if (this.#paused || this.#crashed) await this.#awake();
        if (verb !== 'watch') await travel();
        arrive();
      },
      after: async ({ verb, options }) => {
        if (verb === 'create' || verb === 'update' || verb === 'patch') onWritten?.(options);
        await travel();
        if (this.#paused || this.#crashed) await this.#awake();
        arrive();
      },
    });
  }

  pause(): void {
    this.#paused ??= [];
  }

  resume(): void {
    const waiting = this.#paused ?? [];
    this.#paused = undefined;
    if (!this.#crashed) for (const run of waiting) run();
  }

  crash(): void {
    this.#crashed = true;
  }

  setPartitioned(partitioned: boolean): void {
    this.#partitioned = partitioned;
  }

  jumpWallClock(ms: number): void {
    this.#wallOffset += ms;
  }

  /** A promise that settles when the process runs again; never, if it crashed. */
  #awake(): Promise<void> {
    return new Promise((resolve) => this.#deliver(resolve));
  }

  #deliver(run: () => void): void {
    if (this.#crashed) return;
    if (this.#paused) this.#paused.push(run);
    else run();
  }

  #timer(delayMs: number, run: () => void): Disposable {
    let cancelled = false;
    const timer = this.#world.timer(delayMs, () => this.#deliver(() => cancelled || run()));
    return {
      [Symbol.dispose]: () => {
        cancelled = true;
        timer[Symbol.dispose]();
      },
    };
  }
}
