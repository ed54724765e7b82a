import { ApiError, ConfigError, ConnectionError, type Status } from '../errors.ts';
import type { ApiCaller, ApiRequest } from './api-caller.ts';
import type { WatchEvent } from './client.ts';
import { LineSplitter } from './line-splitter.ts';

export interface WatchRequest extends ApiRequest {
  /** A larger event breaks the watch. */
  readonly largestEventBytes: number;
}

const EVENT_TYPES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

const garbled = (where: string, why: string, cause?: unknown): ConnectionError =>
  new ConnectionError(`the watch of ${where} broke: ${why}`, { cause });

/** True for an error that says already what is wrong. */
const isTold = (error: unknown): boolean =>
  error instanceof ApiError || error instanceof ConnectionError || error instanceof ConfigError;

/** The event in a line; undefined for one of a type that is not known here. Throws on an ERROR. */
const decode = <T>(line: string, where: string): WatchEvent<T> | undefined => {
  let event: { readonly type: string; readonly object: unknown };
  try {
    event = JSON.parse(line);
  } catch (error) {
    throw garbled(where, 'an event is not JSON', error);
  }
  if (event.type === 'ERROR') throw new ApiError(event.object as Status);
  return EVENT_TYPES.has(event.type) ? (event as WatchEvent<T>) : undefined;
};

const split = (splitter: LineSplitter, chunk: Buffer, where: string): readonly string[] => {
  try {
    return splitter.push(chunk);
  } catch (error) {
    throw garbled(where, 'an event is too large', error);
  }
};

/** Until it is disposed, the outer signal aborts the controller. */
const abortWith = (outer: AbortSignal | undefined, controller: AbortController): Disposable => {
  const abort = () => controller.abort(outer?.reason);
  outer?.throwIfAborted();
  outer?.addEventListener('abort', abort, { once: true });
  return { [Symbol.dispose]: () => outer?.removeEventListener('abort', abort) };
};

const readEvents = async function* <T>(
  caller: ApiCaller,
  request: WatchRequest,
  stop: AbortController,
): AsyncGenerator<WatchEvent<T>, void> {
  const { where } = caller;
  using _ = abortWith(request.signal, stop);
  try {
    const { body } = await caller.open({ ...request, signal: stop.signal });
    const splitter = new LineSplitter(request.largestEventBytes);
    for await (const chunk of body) {
      for (const line of split(splitter, chunk, where)) {
        const event = decode<T>(line, where);
        request.signal?.throwIfAborted();
        if (event) yield event;
      }
    }
    if (splitter.pendingBytes > 0) throw garbled(where, 'it ended in the middle of an event');
  } catch (error) {
    request.signal?.throwIfAborted();
    if (stop.signal.aborted) return;
    throw isTold(error) ? error : caller.broken(error, request);
  }
};

/**
 * The events of one watch. Nothing is sent before the first is asked for. A slow reader slows the
 * server down, because no more is read than asked for. `return` ends the request at once, also while a
 * `next` waits for an event.
 */
export const watchStream = <T>(
  caller: ApiCaller,
  request: WatchRequest,
): AsyncIterator<WatchEvent<T>, void> => {
  const stop = new AbortController();
  const events = readEvents<T>(caller, request, stop);
  return {
    next: () => events.next(),
    return: () => {
      stop.abort();
      return events.return();
    },
  };
};
