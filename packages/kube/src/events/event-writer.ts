import { Event, type EventWritten } from '@perigee/kubernetes/core/event';
import { formatTime } from '@perigee/schema/values/time';
import type { Client } from '../client/client.ts';
import { ensure } from '../client/ensure.ts';
import type { Clock } from '../clock/clock.ts';
import { deadlineAfter } from '../clock/deadline.ts';
import { ApiError, ignoreNotFound } from '../errors.ts';
import type { Logger } from '../observe/logger.ts';
import type { EventState } from './observation.ts';

const MOST_TRIES = 12;
const RETRY_MS = 10_000;

const REQUEST_MS = 30_000;

/** Few, so that Events never keep a busy server from its work. */
const MOST_AT_ONCE = 4;

/** So long, repetitions of an Event are counted before they are written: what goes on and on is one write, not many. */
const REPEATS_MS = 10_000;

/** Time limit for flushing the backlog when the writer is closed. */
const LAST_WORDS_MS = 5_000;

export interface EventWriterOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly component: string;
  readonly instance: string;
  readonly mostWaiting: number;
  readonly logger?: Pick<Logger, 'warn'>;
}

const namespaceOf = ({ object }: EventState): string => object.namespace || 'default';

/** Asking again may help when the server was not reached, or was not well. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.code >= 500 || error.code === 429;

/**
 * Writes Events in the background, a few at a time. What waits is bounded; an Event that counts up
 * while it waits takes no more room. Events are not worth failing for: one that cannot be written
 * is given up, with a line in the log.
 */
export class EventWriter implements AsyncDisposable {
  readonly #options: EventWriterOptions;
  readonly #waiting = new Map<string, EventState>();
  /** Repetitions of Events that were written before, until it is time to write their count. */
  readonly #repeats = new Map<string, EventState>();
  #repeatsDue: Disposable | undefined;
  readonly #underWay = new Set<string>();
  /** Aborted when nothing more is taken and nothing is tried twice. */
  readonly #closing = new AbortController();
  /** Aborted when nothing more is tried. */
  readonly #stopped = new AbortController();
  readonly #workers = new Set<Promise<void>>();
  #busy = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** True if there was room. */
  write(event: EventState): boolean {
    const key = `${namespaceOf(event)}/${event.name}`;
    const isThere = this.#waiting.has(key) || this.#repeats.has(key);
    const isFull = this.#waiting.size + this.#repeats.size >= this.#options.mostWaiting;
    if ((isFull && !isThere) || this.#closing.signal.aborted) return false;
    if (event.count > 1 && !this.#waiting.has(key)) this.#repeat(key, event);
    else this.#send(key, event);
    return true;
  }

  #send(key: string, event: EventState): void {
    this.#waiting.set(key, event);
    if (this.#busy < MOST_AT_ONCE) this.#startWorker();
  }

  #repeat(key: string, event: EventState): void {
    this.#repeats.set(key, event);
    this.#repeatsDue ??= this.#options.clock.timer(REPEATS_MS, () => this.#sendRepeats());
  }

  #sendRepeats(): void {
    this.#repeatsDue?.[Symbol.dispose]();
    this.#repeatsDue = undefined;
    for (const [key, event] of this.#repeats) this.#send(key, event);
    this.#repeats.clear();
  }

  /** Waits until everything that was recorded has been written or given up. */
  async flush(): Promise<void> {
    this.#sendRepeats();
    while (this.#workers.size > 0) await Promise.all(this.#workers);
  }

  /** Takes no more; tries once, and not for long, what still waits. */
  async [Symbol.asyncDispose](): Promise<void> {
    const reason = new Error('the event recorder was closed');
    this.#sendRepeats();
    this.#closing.abort(reason);
    using _timer = this.#options.clock.timer(LAST_WORDS_MS, () => this.#stopped.abort(reason));
    await this.flush();
  }

  #startWorker(): void {
    this.#busy += 1;
    const worker = this.#work().finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  async #work(): Promise<void> {
    // The recorder does not block its caller, not even to build a request.
    await null;
    for (const [key] of this.#waiting) {
      // The write under way continues with the latest state.
      if (this.#underWay.has(key)) continue;
      this.#underWay.add(key);
      for (let event = this.#take(key); event !== undefined; event = this.#take(key)) {
        await this.#deliver(event);
      }
      this.#underWay.delete(key);
    }
    // At once: what comes from now on needs another worker.
    this.#busy -= 1;
  }

  #take(key: string): EventState | undefined {
    const event = this.#waiting.get(key);
    this.#waiting.delete(key);
    return event;
  }

  async #deliver(event: EventState): Promise<void> {
    const { clock, logger } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        await this.#request(event);
        return;
      } catch (error) {
        const givesUp = !mayPass(error) || tries >= MOST_TRIES || this.#closing.signal.aborted;
        const { object, reason, message } = event;
        if (givesUp) logger?.warn('cannot record an event', { error, object, reason, message });
        if (givesUp) return;
      }
      // The first wait is by chance, lest all clients come back at once after an outage.
      const delay = tries === 1 ? RETRY_MS * clock.random() : RETRY_MS;
      await clock.sleep(delay, this.#closing.signal).catch(() => undefined);
    }
  }

  async #request(event: EventState): Promise<void> {
    const { client, clock } = this.#options;
    using deadline = deadlineAfter(clock, REQUEST_MS, this.#stopped.signal);
    const { signal } = deadline;
    const { name, count, at, message } = event;
    const namespace = namespaceOf(event);
    if (count > 1) {
      const body = { count, lastTimestamp: formatTime(at), message };
      const patchedEvent = await client
        .patch(Event, { namespace, name }, { type: 'merge', body }, { signal })
        .catch(ignoreNotFound);
      // The server forgets Events after a while, and one may never have reached it.
      if (patchedEvent !== undefined) return;
    }
    // It may be there: an attempt before this one was done, only its answer did not come back.
    await ensure(client, Event, this.#eventObject(event), { signal });
  }

  #eventObject(event: EventState): EventWritten {
    const { component, instance } = this.#options;
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: event.name, namespace: namespaceOf(event) },
      involvedObject: event.object,
      type: event.type,
      reason: event.reason,
      message: event.message,
      count: event.count,
      firstTimestamp: formatTime(event.firstAt),
      lastTimestamp: formatTime(event.at),
      source: { component, host: instance },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }
}
