import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from './answer.ts';
import type { AnswerHead } from './answer-head.ts';
import { BodySocket } from './body-socket.ts';
import { nodeHttp } from './node-http.ts';

/** Paths that are valid in the first line of a request. */
const PATH = /^\/[\x21-\x7e]*$/;

const requestText = (path: string, headers: Readonly<Record<string, string>>): string => {
  if (!PATH.test(path)) throw new Error('a path with characters that no request can have');
  const lines = Object.entries(headers).map(([name, value]) => {
    nodeHttp.validateHeaderValue(name, value);
    return `${name}: ${value}\r\n`;
  });
  return `GET ${path} HTTP/1.1\r\n${lines.join('')}connection: keep-alive\r\n\r\n`;
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

/** Connections to one server, to get from it what is large; they are used again. */
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
  async get(path: string, headers: Readonly<Record<string, string>>): Promise<Answer | undefined> {
    const request = requestText(path, headers);
    for (;;) {
      const idleSocket = this.#take();
      const socket = idleSocket ?? this.#open();
      try {
        const head = await socket.ask(request);
        if (head !== undefined) return new SocketAnswer(head, socket, () => this.#putBack(socket));
        socket[Symbol.dispose]();
        return undefined;
      } catch (error) {
        socket[Symbol.dispose]();
        // The server may have closed an idle connection.
        if (idleSocket === undefined || socket.hasAnswered) throw error;
      }
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#idle) socket[Symbol.dispose]();
    this.#idle.length = 0;
  }
}
