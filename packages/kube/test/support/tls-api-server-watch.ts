import type { ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { WatchEvent } from '../../src/client/client.ts';
import { ApiError } from '../../src/errors.ts';
import {
  type FaultyStep,
  spoiltEvent,
  suddenEnd,
  type WatchFault,
} from './tls-api-server-faults.ts';

/** One answer under way: where to write it, how to break it, and when it has broken. */
export interface AnswerStream {
  readonly response: Http2ServerResponse;
  readonly reset: () => void;
  /** Told of every event that is about to be sent. */
  readonly onEvent: () => void;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Resolves when the text has left for the network, which a slow reader delays, or cannot leave. */
const write = async ({ response, signal }: AnswerStream, text: string): Promise<void> => {
  if (text === '' || signal.aborted) return;
  const flush = Promise.withResolvers<void>();
  const done = () => flush.resolve();
  signal.addEventListener('abort', done, { once: true });
  response.write(text, done);
  await flush.promise;
  signal.removeEventListener('abort', done);
};

const errorLine = (error: ApiError): string =>
  `${JSON.stringify({ type: 'ERROR', object: error.status })}\n`;

/** The lines of a watch. A resource version that is too old is an event, as in a real server. */
const linesOf = async function* (
  events: AsyncIterator<WatchEvent<KubeObject>>,
): AsyncGenerator<string> {
  try {
    for (let next = await events.next(); !next.done; next = await events.next()) {
      yield `${JSON.stringify(next.value)}\n`;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    yield errorLine(error);
  } finally {
    await events.return?.();
  }
};

/** Waits until the watch is open: refusals become the answer's status, not events. */
const openWatch = async (
  events: AsyncIterable<WatchEvent<KubeObject>>,
): Promise<AsyncIterator<WatchEvent<KubeObject>>> => {
  const iterator = events[Symbol.asyncIterator]();
  const first = iterator.next();
  let refusal: unknown;
  first.catch((error: unknown) => {
    refusal = error;
  });
  await nextTurn();
  if (refusal !== undefined && !(refusal instanceof ApiError && refusal.code === 410))
    throw refusal;
  let pendingResult: typeof first | undefined = first;
  return {
    next: () => {
      const result = pendingResult ?? iterator.next();
      pendingResult = undefined;
      return result;
    },
    return: async () => iterator.return?.() ?? { done: true, value: undefined },
  };
};

const endWatch = ({ response, reset }: AnswerStream, end: FaultyStep['end']): void => {
  if (end === 'reset') reset();
  if (end === 'clean') response.end();
};

export const sendWatch = async (
  events: AsyncIterable<WatchEvent<KubeObject>>,
  stream: AnswerStream,
  fault: WatchFault | undefined,
): Promise<void> => {
  const { response } = stream;
  const lines = linesOf(await openWatch(events));
  response.writeHead(200, { 'content-type': 'application/json' });
  (response as unknown as ServerResponse).flushHeaders();
  for (let sentCount = 0; ; sentCount++) {
    const faultIsNow = fault?.afterEvents === sentCount;
    const ending = faultIsNow ? suddenEnd(fault.then) : undefined;
    const line = ending ? undefined : (await lines.next()).value;
    const step =
      ending ??
      (line === undefined
        ? ({ send: '', end: 'clean' } as const)
        : faultIsNow
          ? spoiltEvent(fault.then, line)
          : ({ send: line, end: 'no' } as const));
    stream.onEvent();
    await write(stream, step.send);
    if (step.end === 'no') continue;
    endWatch(stream, step.end);
    await lines.return(undefined);
    return;
  }
};
