import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { MaybePromise } from '../ends/source.ts';
import { EndpointError } from '../errors.ts';

/** Answer of a server. Its body is read step by step, into a buffer of the reader. */
export interface Answer extends Disposable {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Reads up to the length of the buffer, and returns how much there was: nothing at the end. */
  read(into: Buffer): MaybePromise<number>;
}

/** An answer that came through the HTTP client of Node.js. */
export class MessageAnswer implements Answer {
  readonly #message: IncomingMessage;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(message: IncomingMessage) {
    this.#message = message;
    this.#chunks = message[Symbol.asyncIterator]();
  }

  get status(): number {
    return this.#message.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.#message.headers;
  }

  async read(into: Buffer): Promise<number> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return 0;
      this.#rest = value;
    }
    const count = this.#rest.copy(into);
    this.#rest = this.#rest.subarray(count);
    return count;
  }

  [Symbol.dispose](): void {
    // A message that was read to its end returns its connection to the pool by itself.
    if (this.#message.complete) this.#message.resume();
    else this.#message.destroy();
  }
}

/** All of an answer, which must not be longer than that. */
export const readAnswer = async (answer: Answer, most: number): Promise<Buffer> => {
  const all: Buffer[] = [];
  for (let length = 0; length <= most; ) {
    const into = Buffer.allocUnsafe(16 * 1024);
    const count = await answer.read(into);
    if (count === 0) return Buffer.concat(all);
    all.push(into.subarray(0, count));
    length += count;
  }
  throw new EndpointError('Refused', `an answer of more than ${most} bytes`);
};
