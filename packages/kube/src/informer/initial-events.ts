import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { WatchEvent } from '../client/client.ts';
import { isInitialEventsEnd } from '../client/initial-events-end.ts';
import type { Clock } from '../clock/clock.ts';
import { ConnectionError } from '../errors.ts';
import { objectKey } from './object-key.ts';

/** Barks once when it was not fed for a whole period. Feeding it costs nothing. */
class Watchdog implements Disposable {
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #bark: () => void;
  #timer: Disposable;
  #fed = false;

  constructor(clock: Clock, periodMs: number, bark: () => void) {
    this.#clock = clock;
    this.#periodMs = periodMs;
    this.#bark = bark;
    this.#timer = this.#wait();
  }

  feed(): void {
    this.#fed = true;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #wait(): Disposable {
    return this.#clock.timer(this.#periodMs, () => {
      if (!this.#fed) return this.#bark();
      this.#fed = false;
      this.#timer = this.#wait();
    });
  }
}

/** A server that knows initial events ends them at once; one that does not never does. */
const QUIET_MS = 10_000;

/** Gathers the state that a watch with `sendInitialEvents` begins with, until it is complete. */
export class InitialEvents<T extends KubeObject> implements Disposable {
  readonly #objects = new Map<string, T>();
  readonly #controller = new AbortController();
  readonly #watchdog: Watchdog;
  #complete = false;

  constructor(clock: Clock) {
    this.#watchdog = new Watchdog(clock, QUIET_MS, () =>
      this.#controller.abort(
        new ConnectionError(`no end of the initial events, and no other, for ${QUIET_MS} ms`),
      ),
    );
  }

  get complete(): boolean {
    return this.#complete;
  }

  /** Aborted when the end does not come. */
  get overdue(): AbortSignal {
    return this.#controller.signal;
  }

  take(event: WatchEvent<T>): void {
    const key = objectKey(event.object.metadata);
    if (event.type === 'ADDED') this.#watchdog.feed();
    if (event.type === 'DELETED') this.#objects.delete(key);
    else if (event.type !== 'BOOKMARK') this.#objects.set(key, event.object);
    else if (isInitialEventsEnd(event)) {
      this.#complete = true;
      this.#watchdog[Symbol.dispose]();
    }
  }

  /** Hands over every object there was, and keeps none: the watch goes on for long. */
  release(): readonly T[] {
    const objects = [...this.#objects.values()];
    this.#objects.clear();
    return objects;
  }

  [Symbol.dispose](): void {
    this.#watchdog[Symbol.dispose]();
  }
}
