import { connect, type Socket } from 'node:net';
import { EndpointError } from '../errors.ts';
import { type AnswerHead, answerHeadOf } from './answer-head.ts';
import { sendBody } from './send-body.ts';

/** A shorter body is copied behind its head, so that both go out at once. */
const SHORT_BODY = 2 ** 16;
const BUFFER_BYTES = 2 ** 18;
const LONGEST_HEAD = 64 * 1024;
const END_OF_HEAD = '\r\n\r\n';

export interface BodySocketOptions {
  readonly host: string;
  readonly port: number;
  /** No byte for this long counts as a cut connection. */
  readonly idleMs: number;
}

/** A request as it is sent. */
export interface RawRequest {
  readonly head: string;
  readonly body: Buffer | (() => AsyncIterable<Buffer>) | undefined;
  /** How long the answer may take once all was sent. */
  readonly patienceMs: number;
}

const closedError = (): EndpointError =>
  new EndpointError('Unavailable', 'the connection was closed');

/**
 * A connection on which one answer after the other is read, all into the same memory. The client of Node.js makes a
 * buffer of each 64 KiB that come; with many gigabytes, collecting these takes more time than hashing them.
 */
export class BodySocket implements Disposable {
  readonly #socket: Socket;
  readonly #idleMs: number;
  /** Bytes that arrived and were not read yet; in the buffer of the socket, which pauses until they are. */
  #came: Buffer = Buffer.alloc(0);
  #change: PromiseWithResolvers<void> | undefined;
  /** The last bytes that were given to the socket. */
  #writing: PromiseWithResolvers<void> | undefined;
  #failure: Error | undefined;
  /** Bytes of the body that were not taken yet. */
  #left = 0;
  #isKept = false;
  #hasAnswered = false;
  #wasSilent = false;
  /** The answer came before all of the request was sent: the rest would be taken for the next one. */
  #isEarly = false;

  constructor({ host, port, idleMs }: BodySocketOptions) {
    const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
    this.#socket = connect({
      host,
      port,
      noDelay: true,
      onread: {
        buffer,
        callback: (count) => {
          this.#came = buffer.subarray(0, count);
          this.#notify();
          // The buffer is in use: nothing else is read until it is empty.
          return false;
        },
      },
    });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('end', () =>
      this.#fail(new EndpointError('Unavailable', 'the connection was cut off')),
    );
    this.#socket.on('close', () => this.#fail(closedError()));
    this.#idleMs = idleMs;
    this.#socket.setTimeout(idleMs, () => {
      this.#wasSilent = true;
      this.#fail(new EndpointError('Unavailable', `no answer in ${this.#socket.timeout} ms`));
    });
  }

  /** The server, which may have been about to close it, has cut it before anything came after the last request. */
  get isCutUnanswered(): boolean {
    return this.#failure !== undefined && !this.#hasAnswered && !this.#wasSilent;
  }

  /** It is at the end of an answer, and ready for another request. */
  get isReady(): boolean {
    const isClean = this.#left === 0 && this.#came.length === 0;
    return this.#isKept && isClean && this.#failure === undefined;
  }

  #notify(): void {
    this.#change?.resolve();
    this.#change = undefined;
    // Whoever writes learns it, too: a server that refuses does not read on.
    this.#writing?.resolve();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#socket.destroy();
    this.#notify();
  }

  /** Waits until something came. */
  async #more(): Promise<void> {
    while (this.#came.length === 0) {
      if (this.#failure) throw this.#failure;
      this.#change = Promise.withResolvers();
      this.#socket.resume();
      await this.#change.promise;
    }
  }

  #take(count: number): void {
    this.#came = this.#came.subarray(count);
  }

  #write(bytes: Buffer): Promise<void> {
    const writing = Promise.withResolvers<void>();
    this.#writing = writing;
    // An error has its event, too.
    this.#socket.write(bytes, () => writing.resolve());
    return writing.promise;
  }

  async #send({ head, body }: RawRequest): Promise<void> {
    if (Buffer.isBuffer(body) && body.length <= SHORT_BODY) {
      this.#socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
      return;
    }
    this.#socket.write(head, 'latin1');
    if (Buffer.isBuffer(body)) this.#socket.write(body);
    if (typeof body !== 'function') return;
    this.#socket.resume();
    const isOver = (): boolean => this.#came.length > 0 || this.#failure !== undefined;
    await sendBody(body(), (bytes) => this.#write(bytes), isOver);
    this.#isEarly = this.#came.length > 0;
  }

  /** Sends a request, and returns the head of the answer if it is one that can be read here. */
  async ask(request: RawRequest): Promise<AnswerHead | undefined> {
    this.#hasAnswered = false;
    this.#socket.ref();
    this.#isEarly = false;
    await this.#send(request);
    this.#socket.setTimeout(request.patienceMs);
    let text = '';
    for (;;) {
      await this.#more();
      this.#hasAnswered = true;
      const before = text.length;
      text += this.#came.toString('latin1', 0, LONGEST_HEAD);
      const end = text.indexOf(END_OF_HEAD, Math.max(0, before - END_OF_HEAD.length));
      if (end !== -1) {
        this.#take(end + END_OF_HEAD.length - before);
        const head = answerHeadOf(text.slice(0, end));
        this.#left = head?.length ?? 0;
        this.#socket.setTimeout(this.#idleMs);
        // Of a body that was given as a whole, the rest still waits to be sent.
        const isSent = !this.#isEarly && this.#socket.writableLength === 0;
        this.#isKept = head?.isKept === true && isSent;
        return head;
      }
      this.#take(this.#came.length);
      if (text.length > LONGEST_HEAD) return undefined;
    }
  }

  /** Takes bytes of the body; none at its end. */
  async read(into: Buffer): Promise<number> {
    if (this.#left === 0) return 0;
    await this.#more();
    const count = this.#came.copy(into, 0, 0, Math.min(this.#left, into.length));
    this.#take(count);
    this.#left -= count;
    return count;
  }

  /** Does not keep the process alive until the next request, and notices when the server closes it. */
  rest(): void {
    this.#socket.unref().resume();
  }

  [Symbol.dispose](): void {
    this.#failure ??= closedError();
    this.#socket.destroy();
  }
}
