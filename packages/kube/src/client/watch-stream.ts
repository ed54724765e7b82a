import { parseExactJson } from '@perigee/schema/exact-json';
import { ApiError, type Status } from '../errors.ts';
import type { ApiCaller } from './api-caller.ts';
import type { WatchEvent } from './client.ts';
import { garbled, type WatchRequest, watchLines } from './watch-lines.ts';

const EVENT_TYPES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

/** The event in a line; undefined for one of a type that is not known here. Throws on an ERROR. */
const decode = <T>(line: string, where: string): WatchEvent<T> | undefined => {
  let event: { readonly type: string; readonly object: unknown };
  try {
    event = parseExactJson(line) as unknown as typeof event;
  } catch (error) {
    throw garbled(where, 'an event is not JSON', error);
  }
  if (event.type === 'ERROR') throw new ApiError(event.object as Status);
  return EVENT_TYPES.has(event.type) ? (event as WatchEvent<T>) : undefined;
};

/**
 * The events of one watch. Nothing is sent before the first is asked for. `return` ends the request at
 * once, also while a `next` waits for an event. Written out by hand rather than as a generator, because
 * events come in portions and a generator costs several turns of the event loop for each one.
 */
export class WatchStream<T> implements AsyncIterator<WatchEvent<T>, void> {
  readonly #request: WatchRequest;
  readonly #where: string;
  readonly #stop = new AbortController();
  readonly #portions: AsyncGenerator<readonly string[], void>;
  #lines: readonly string[] = [];
  #at = 0;
  #waiting: Promise<unknown> | undefined;

  constructor(caller: ApiCaller, request: WatchRequest) {
    this.#request = request;
    this.#where = caller.where;
    this.#portions = watchLines(caller, request, this.#stop);
  }

  next(): Promise<IteratorResult<WatchEvent<T>, void>> {
    if (this.#waiting !== undefined) return this.#waiting.then(() => this.next());
    try {
      const value = this.#fromPortion();
      if (value) return Promise.resolve({ done: false, value });
    } catch (error) {
      return this.#fail(error);
    }
    const next = this.#fromServer();
    this.#waiting = next
      .catch(() => {})
      .finally(() => {
        this.#waiting = undefined;
      });
    return next;
  }

  return(): Promise<IteratorResult<WatchEvent<T>, void>> {
    this.#lines = [];
    this.#stop.abort();
    return this.#portions.return().then(() => ({ done: true, value: undefined }));
  }

  /** The next event that has arrived already. */
  #fromPortion(): WatchEvent<T> | undefined {
    while (this.#at < this.#lines.length) {
      this.#request.signal?.throwIfAborted();
      const event = decode<T>(this.#lines[this.#at++] ?? '', this.#where);
      if (event) return event;
    }
    return undefined;
  }

  async #fromServer(): Promise<IteratorResult<WatchEvent<T>, void>> {
    for (;;) {
      const portion = await this.#portions.next();
      if (portion.done) return portion;
      this.#lines = portion.value;
      this.#at = 0;
      try {
        const value = this.#fromPortion();
        if (value) return { done: false, value };
      } catch (error) {
        return this.#fail(error);
      }
    }
  }

  async #fail(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }
}
