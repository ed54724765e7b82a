import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answer.ts';
import type { AnswerHead } from './answer-head.ts';
import { BodySocket } from './body-socket.ts';
import type { HttpRequest } from './http-connection.ts';

/** Paths that are valid in the first line of a request. */
const PATH = /^\/[\x21-\x7e]*$/;

/** Characters that no value of a header can have; a line end would begin another one. */
const BAD_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

const headOf = ({ method, path, headers, body }: HttpRequest): string => {
  if (!PATH.test(path)) throw new Error('a path with characters that no request can have');
  let lines = '';
  for (const [name, value] of Object.entries(headers)) {
    if (BAD_VALUE.test(value)) throw new Error(`Invalid character in the value of ${name}`);
    lines += `${name}: ${value}\r\n`;
  }
  if (Buffer.isBuffer(body)) lines += `content-length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\n${lines}connection: keep-alive\r\n\r\n`;
};

class SocketAnswer implements Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #socket: BodySocket;
  #onEnd: (() => void) | undefined;

  constructor({ status, headers }: AnswerHead, socket: BodySocket, onEnd: () => void) {
    this.status = status;
    this.headers = headers;
    this.#socket = socket;
    this.#onEnd = onEnd;
  }

  read(into: Buffer): Promise<number> {
    return this.#socket.read(into);
  }

  [Symbol.dispose](): void {
    this.#onEnd?.();
    this.#onEnd = undefined;
  }
}

/** Connections to one server, for what is large or asked often; they are used again. */
export class BodySockets implements Disposable {
  readonly #url: URL;
  readonly #idleMs: number;
  readonly #idle: BodySocket[] = [];

  constructor({ url, idleMs }: { readonly url: URL; readonly idleMs: number }) {
    this.#url = url;
    this.#idleMs = idleMs;
  }

  #open(): BodySocket {
    const { hostname, port } = this.#url;
    const host = hostname.replace(/^\[|\]$/g, '');
    return new BodySocket({ host, port: Number(port || 80), idleMs: this.#idleMs });
  }

  #take(): BodySocket | undefined {
    for (;;) {
      const socket = this.#idle.pop();
      if (socket === undefined || socket.isReady) return socket;
      socket[Symbol.dispose]();
    }
  }

  #putBack(socket: BodySocket): void {
    if (!socket.isReady) {
      socket[Symbol.dispose]();
      return;
    }
    socket.rest();
    this.#idle.push(socket);
  }

  /** The answer to a request, or nothing if it is one that has to be asked for by the full client. */
  async ask(request: HttpRequest): Promise<Answer | undefined> {
    const { body, patienceMs = this.#idleMs } = request;
    const raw = { head: headOf(request), body, patienceMs };
    for (;;) {
      const idleSocket = this.#take();
      const socket = idleSocket ?? this.#open();
      try {
        const head = await socket.ask(raw);
        if (head !== undefined) return new SocketAnswer(head, socket, () => this.#putBack(socket));
        socket[Symbol.dispose]();
        return undefined;
      } catch (error) {
        // The server may have closed an idle connection.
        const isStale = idleSocket !== undefined && socket.isCutUnanswered;
        socket[Symbol.dispose]();
        if (!isStale) throw error;
      }
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#idle) socket[Symbol.dispose]();
    this.#idle.length = 0;
  }
}
