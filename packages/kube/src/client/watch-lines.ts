import { ApiError, ConfigError, ConnectionError } from '../errors.ts';
import type { ApiCaller, ApiRequest } from './api-caller.ts';
import { LineSplitter } from './line-splitter.ts';

export interface WatchRequest extends ApiRequest {
  /** A larger event breaks the watch. */
  readonly largestEventBytes: number;
}

/** True for an error whose message is complete. */
const isReported = (error: unknown): boolean =>
  error instanceof ApiError || error instanceof ConnectionError || error instanceof ConfigError;

/** The error of a watch whose events cannot be understood. */
export const garbled = (where: string, why: string, cause?: unknown): ConnectionError =>
  new ConnectionError(`the watch of ${where} broke: ${why}`, { cause });

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

/**
 * The lines of a watch, in the portions in which they arrive. No more is read than asked for, so that a
 * slow reader slows the server down. Ends quietly when the controller is aborted.
 */
export const watchLines = async function* (
  caller: ApiCaller,
  request: WatchRequest,
  stop: AbortController,
): AsyncGenerator<readonly string[], void> {
  const { where } = caller;
  using _ = abortWith(request.signal, stop);
  try {
    const { body } = await caller.open({ ...request, signal: stop.signal });
    const splitter = new LineSplitter(request.largestEventBytes);
    for await (const chunk of body) yield split(splitter, chunk, where);
    if (splitter.pendingBytes > 0) throw garbled(where, 'it ended in the middle of an event');
  } catch (error) {
    request.signal?.throwIfAborted();
    if (stop.signal.aborted) return;
    throw isReported(error) ? error : caller.broken(error, request);
  }
};
