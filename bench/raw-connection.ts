import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** Last chunk of a chunked body. JSON contains no carriage return, so that it is nowhere else. */
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');
const CODE = { start: 9, end: 12 };

/** Content length of an answer; undefined if it is chunked. */
const lengthIn = (head: string): number | undefined => {
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return length === undefined ? undefined : Number(length);
};

/** An answer, as far as it has come in. */
export class Answer {
  readonly #parts: Buffer[] = [];
  #bytes = 0;
  #head = '';
  #wanted: number | undefined;

  /** Takes what came; tells whether that was all. */
  add(part: Buffer): boolean {
    this.#parts.push(part);
    this.#bytes += part.length;
    if (this.#head === '' && !this.#readHead()) return false;
    if (this.#wanted !== undefined) return this.#bytes >= this.#wanted;
    const last = this.#parts.at(-1) ?? part;
    const end = last.length >= LAST_CHUNK.length ? last : Buffer.concat(this.#parts);
    return end.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK);
  }

  get code(): number {
    return Number(this.#head.slice(CODE.start, CODE.end));
  }

  /** The size of head and body. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Head and body as they came. */
  get text(): string {
    return Buffer.concat(this.#parts).toString();
  }

  #readHead(): boolean {
    const all = Buffer.concat(this.#parts);
    const end = all.indexOf(HEAD_END);
    if (end < 0) return false;
    this.#head = all.toString('latin1', 0, end);
    const length = lengthIn(this.#head);
    if (length !== undefined) this.#wanted = end + HEAD_END.length + length;
    return true;
  }
}

/**
 * A connection over HTTP/1.1 that does one request at a time and as little else as possible: the load
 * runs on the cores of the server, and what it takes is missing there.
 */
export class RawConnection implements Disposable {
  readonly #socket: TLSSocket;
  readonly #headers: string;
  #answer = new Answer();
  #waiting: PromiseWithResolvers<Answer> | undefined;

  constructor(socket: TLSSocket, headers: string) {
    this.#socket = socket;
    this.#headers = headers;
    socket.on('data', (part: Buffer) => this.#take(part));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed a connection')));
  }

  static async open(
    to: ConnectionOptions,
    headers: { readonly [name: string]: string },
  ): Promise<RawConnection> {
    const socket = connect({ ...to, ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    const lines = Object.entries({ host: `${to.host}:${to.port}`, ...headers });
    return new RawConnection(socket, lines.map(([name, text]) => `${name}: ${text}\r\n`).join(''));
  }

  /** Rejects for an answer that tells of an error. */
  async call(method: string, path: string, body?: string): Promise<Answer> {
    const content =
      body === undefined
        ? ''
        : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
    this.#waiting = Promise.withResolvers();
    this.#socket.write(`${method} ${path} HTTP/1.1\r\n${this.#headers}${content}\r\n${body ?? ''}`);
    const answer = await this.#waiting.promise;
    if (answer.code >= 200 && answer.code < 300) return answer;
    throw new Error(`${method} ${path} was answered: ${answer.text}`);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }

  #take(part: Buffer): void {
    if (!this.#answer.add(part)) return;
    const answer = this.#answer;
    this.#answer = new Answer();
    this.#waiting?.resolve(answer);
  }
}
