import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';

/** Reader of the body of one answer. */
export interface BodyReader {
  /** Takes the next bytes, which are valid during the call only; `endsFrame` marks the last ones of a frame. */
  take(bytes: Buffer, endsFrame: boolean): void;
  fail(error: Error): void;
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const FRAME_HEAD_BYTES = 9;
const FRAMES = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, window: 8 };
const ACKNOWLEDGED = 1;
const END_STREAM = 1;
const END_HEADERS = 4;
const INITIAL_WINDOW_SETTING = 4;
/** More than one measurement sends: nothing has to be given back, and nothing waits for it. */
const LARGEST_WINDOW = 2 ** 31 - 1;
const FIRST_WINDOW = 65_535;
/** `:status: 200` in the table that every connection knows, after sizes of the table of this one. */
const OK = 0x88;
const isTableSize = (byte: number): boolean => byte >> 5 === 1;
const READ_BYTES = 64 * 1024;

const frameOf = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(FRAME_HEAD_BYTES);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

const MOST_IN_PREFIX = 127;

/** A text that is not compressed, after its length. */
const textOf = (text: string): Buffer => {
  const bytes = Buffer.from(text);
  if (bytes.length < MOST_IN_PREFIX) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [MOST_IN_PREFIX];
  let rest = bytes.length - MOST_IN_PREFIX;
  for (; rest > MOST_IN_PREFIX; rest >>= 7) length.push((rest & MOST_IN_PREFIX) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
};

const headersOf = (headers: { readonly [name: string]: string }): Buffer =>
  Buffer.concat(
    Object.entries(headers).flatMap(([name, text]) => [
      Buffer.from([0]),
      textOf(name),
      textOf(text),
    ]),
  );

const settings = (): Buffer => {
  const setting = Buffer.alloc(6);
  setting.writeUInt16BE(INITIAL_WINDOW_SETTING);
  setting.writeUInt32BE(LARGEST_WINDOW, 2);
  return frameOf(FRAMES.settings, 0, 0, setting);
};

const widenWindow = (): Buffer => {
  const by = Buffer.alloc(4);
  by.writeUInt32BE(LARGEST_WINDOW - FIRST_WINDOW);
  return frameOf(FRAMES.window, 0, 0, by);
};

interface Stream {
  readonly body: BodyReader;
  readonly opening: PromiseWithResolvers<void>;
}

/**
 * A connection over HTTP/2 for many long answers that does as little as possible: the load runs on the
 * cores of the server, and what it takes is missing there.
 */
export class RawHttp2 implements Disposable {
  readonly #socket: TLSSocket;
  readonly #authority: string;
  readonly #streams = new Map<number, Stream>();
  #nextStream = 1;
  /** Received part of a frame whose head or whose short payload is incomplete. */
  #rest = Buffer.alloc(0);
  /** The answer whose bytes are coming, and how many of them. */
  #body: BodyReader | undefined;
  #bodyBytes = 0;

  constructor(socket: TLSSocket, authority: string) {
    this.#socket = socket;
    this.#authority = authority;
  }

  static async open(to: ConnectionOptions): Promise<RawHttp2> {
    const buffer = Buffer.alloc(READ_BYTES);
    const callback = (bytes: number): boolean => {
      connection.#read(buffer.subarray(0, bytes));
      return true;
    };
    const socket = connect({ ...to, ALPNProtocols: ['h2'], onread: { buffer, callback } } as never);
    const connection = new RawHttp2(socket, `${to.host}:${to.port}`);
    await once(socket, 'secureConnect');
    socket.setNoDelay(true);
    socket.write(Buffer.concat([PREFACE, settings(), widenWindow()]));
    for (const event of ['error', 'close']) {
      socket.on(event, (error) => connection.#fail(error || new Error('a connection was closed')));
    }
    return connection;
  }

  /** Resolves when the answer begins; rejects when it is none that tells of success. */
  async get(
    path: string,
    headers: { readonly [name: string]: string },
    body: BodyReader,
  ): Promise<void> {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    const opening = Promise.withResolvers<void>();
    this.#streams.set(stream, { body, opening });
    const all = {
      ':method': 'GET',
      ':scheme': 'https',
      ':authority': this.#authority,
      ':path': path,
      ...headers,
    };
    this.#socket.write(frameOf(FRAMES.headers, END_STREAM | END_HEADERS, stream, headersOf(all)));
    await opening.promise;
  }

  [Symbol.dispose](): void {
    this.#streams.clear();
    this.#socket.destroy();
  }

  #fail(error: Error): void {
    for (const { body, opening } of this.#streams.values()) {
      opening.promise.catch(() => {});
      opening.reject(error);
      body.fail(error);
    }
  }

  #read(chunk: Buffer): void {
    let at = this.#continueBody(chunk, 0);
    if (at === chunk.length) return;
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk.subarray(at)]);
    if (bytes !== chunk) at = 0;
    while (bytes.length - at >= FRAME_HEAD_BYTES) {
      const length = bytes.readUIntBE(at, 3);
      const type = bytes[at + 3];
      const stream = bytes.readUInt32BE(at + 5);
      const start = at + FRAME_HEAD_BYTES;
      if (type === FRAMES.data) {
        this.#beginBody(stream, length, bytes[at + 4] ?? 0);
        at = this.#continueBody(bytes, start);
      } else {
        if (bytes.length < start + length) break;
        const flags = bytes[at + 4] ?? 0;
        this.#control(type ?? 0, flags, stream, bytes.subarray(start, start + length));
        at = start + length;
      }
    }
    this.#rest = Buffer.from(bytes.subarray(at));
  }

  #beginBody(stream: number, length: number, flags: number): void {
    const { body } = this.#streams.get(stream) ?? {};
    this.#body = body;
    this.#bodyBytes = length;
    if (flags & END_STREAM) body?.fail(new Error('the server ended a watch before its time'));
  }

  /** End of the present frame's payload in the chunk. */
  #continueBody(chunk: Buffer, at: number): number {
    if (this.#bodyBytes === 0) return at;
    const end = Math.min(chunk.length, at + this.#bodyBytes);
    this.#bodyBytes -= end - at;
    this.#body?.take(chunk.subarray(at, end), this.#bodyBytes === 0);
    return end;
  }

  #control(type: number, flags: number, stream: number, payload: Buffer): void {
    const { body, opening } = this.#streams.get(stream) ?? {};
    switch (type) {
      case FRAMES.headers: {
        if (payload.find((byte) => !isTableSize(byte)) === OK) opening?.resolve();
        else this.#fail(new Error('a watch was refused'));
        return;
      }
      case FRAMES.settings:
      case FRAMES.ping:
        if (flags & ACKNOWLEDGED) return;
        this.#socket.write(
          frameOf(type, ACKNOWLEDGED, 0, type === FRAMES.ping ? payload : Buffer.alloc(0)),
        );
        return;
      case FRAMES.reset:
        body?.fail(new Error('the server ended a watch before its time'));
        return;
      case FRAMES.goAway:
        this.#fail(new Error('the server ended a connection before its time'));
    }
  }
}
