import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { sleepOn } from '@perigee/kube/clock/sleep';

/**
 * A process that can be stopped for a while, as a machine does that swaps: nothing in it goes on, but the world
 * does. A request that it was about to send is sent when it wakes up.
 */
export class PausableProcess {
  readonly clock: Clock;
  readonly client: Client;
  #waiting: (() => void)[] | undefined;

  constructor(client: Client, world: Clock) {
    const gate = () => this.#gate();
    this.clock = {
      now: () => world.now(),
      monotonic: () => world.monotonic(),
      busy: () => world.busy(),
      timer: (delayMs, run) => this.#timer(world, delayMs, run),
      sleep: (delayMs, signal) => sleepOn(this.clock, delayMs, signal),
      yield: () => world.yield(),
      random: () => world.random(),
      uuid: () => world.uuid(),
    };
    const gated =
      <Args extends readonly unknown[], T>(call: (...args: Args) => Promise<T>) =>
      async (...args: Args): Promise<T> => {
        await gate();
        try {
          return await call(...args);
        } finally {
          await gate();
        }
      };
    this.client = {
      get: gated(client.get.bind(client)),
      list: gated(client.list.bind(client)),
      create: gated(client.create.bind(client)),
      update: gated(client.update.bind(client)),
      patch: gated(client.patch.bind(client)),
      delete: gated(client.delete.bind(client)),
      deleteCollection: gated(client.deleteCollection.bind(client)),
      discover: gated(client.discover.bind(client)),
      version: gated(client.version.bind(client)),
      async *watch(kind, options) {
        for await (const event of client.watch(kind, options)) {
          await gate();
          yield event;
        }
      },
    } as Client;
  }

  get isPaused(): boolean {
    return this.#waiting !== undefined;
  }

  pause(): void {
    this.#waiting ??= [];
  }

  resume(): void {
    const waiters = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const run of waiters) run();
  }

  #gate(): Promise<void> {
    return new Promise((resolve) => this.#deliver(resolve));
  }

  #deliver(run: () => void): void {
    if (this.#waiting === undefined) run();
    else this.#waiting.push(run);
  }

  #timer(world: Clock, delayMs: number, run: () => void): Disposable {
    let isCancelled = false;
    const timer = world.timer(delayMs, () => this.#deliver(() => isCancelled || run()));
    return {
      [Symbol.dispose]: () => {
        isCancelled = true;
        timer[Symbol.dispose]();
      },
    };
  }
}
