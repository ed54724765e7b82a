import type { Status } from '../../src/errors.ts';

/** One request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  /** Without the server's path prefix and without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly httpVersion: string;
  /** The common name of the client's certificate. */
  readonly peer?: string;
  readonly body: string;
}

/** A fault of a whole answer. */
export type AnswerFault =
  /** An answer made up here instead of the real one: 500, 429 with Retry-After, 401. */
  | {
      readonly type: 'answer';
      readonly code: number;
      readonly headers?: { readonly [name: string]: string };
      /** A Status, or any other text. */
      readonly body?: Status | string;
    }
  /** The connection breaks before the request is handled. */
  | { readonly type: 'reset' }
  /** The request is handled, and the connection breaks in the middle of the answer. */
  | { readonly type: 'reset-mid-answer' }
  /** The request is handled when the promise resolves. */
  | { readonly type: 'delay'; readonly until: Promise<void> }
  /** The head and half of the body arrive, the rest never does. */
  | { readonly type: 'stall' };

/** A fault of a watch, once it has sent so many events (bookmarks included). */
export interface WatchFault {
  readonly type: 'watch';
  readonly afterEvents: number;
  readonly then: SuddenEnd | SpoiltEvent;
}

/** Happens as soon as the events before it are sent. */
type SuddenEnd =
  /** The stream breaks between two events. */
  | 'reset'
  /** An ERROR event with status 410, and then a clean end. */
  | 'gone'
  /** Nothing more ever arrives: a half-open connection. */
  | 'stall'
  /** A clean end, as when the server's time limit is over. */
  | 'end';

/** Happens to the event that comes next. */
type SpoiltEvent =
  /** Half of it arrives, and then the stream breaks. */
  | 'reset-mid-event'
  /** Half of it arrives, and then a clean end. */
  | 'truncate'
  /** It arrives twice. */
  | 'duplicate';

export type Fault = AnswerFault | WatchFault;

/** Bytes to send in place of the next event, and the end of the stream after them. */
export interface FaultyStep {
  readonly send: string;
  readonly end: 'no' | 'clean' | 'reset' | 'never';
}

const goneEvent = `${JSON.stringify({
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    message: 'too old resource version: 1 (2)',
    reason: 'Expired',
    code: 410,
  },
})}\n`;

/** The step of a fault that needs no further event; undefined for the other faults. */
export const suddenEnd = (then: WatchFault['then']): FaultyStep | undefined => {
  switch (then) {
    case 'reset':
      return { send: '', end: 'reset' };
    case 'gone':
      return { send: goneEvent, end: 'clean' };
    case 'stall':
      return { send: '', end: 'never' };
    case 'end':
      return { send: '', end: 'clean' };
    default:
      return undefined;
  }
};

export const spoiltEvent = (then: WatchFault['then'], line: string): FaultyStep => {
  const half = line.slice(0, line.length / 2);
  if (then === 'reset-mid-event') return { send: half, end: 'reset' };
  if (then === 'truncate') return { send: half, end: 'clean' };
  return { send: line + line, end: 'no' };
};

interface Scripted {
  readonly fault: Fault;
  readonly when: (request: SeenRequest) => boolean;
  remainingHits: number;
}

export interface FaultOptions {
  /** Requests that it may hit; all by default. */
  readonly when?: (request: SeenRequest) => boolean;
  /** Number of requests that it hits; 1 by default. */
  readonly times?: number;
}

/** Faults in the order in which they were added; each request takes the first that is meant for it. */
export class FaultScript {
  readonly #scripted: Scripted[] = [];

  add(fault: Fault, { when = () => true, times = 1 }: FaultOptions = {}): void {
    this.#scripted.push({ fault, when, remainingHits: times });
  }

  take(request: SeenRequest): Fault | undefined {
    const isWatch = request.query.get('watch') === 'true';
    const next = this.#scripted.find(
      ({ fault, when, remainingHits }) =>
        remainingHits > 0 && (fault.type !== 'watch' || isWatch) && when(request),
    );
    if (next) next.remainingHits -= 1;
    return next?.fault;
  }
}
