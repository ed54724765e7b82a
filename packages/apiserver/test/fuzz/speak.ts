import { connect as connectHttp2 } from 'node:http2';
import type { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { chanceOf } from './chance.ts';
import type { WireRequest } from './make-request.ts';
import { parseAnswers, textOf, type WireAnswer } from './parse-answers.ts';
import { Silence } from './silence.ts';

/** The address, and the time limit for an answer. */
export interface Place {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  readonly patienceMs: number;
}

const chunked = (body: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);

/** A request as bytes; some say the wrong length, or none. */
const bytesOf = (request: WireRequest, isLast: boolean): Buffer => {
  const { seed, method, target, headers, body } = request;
  const chance = chanceOf(seed + 0.5);
  const isChunked = body.length > 0 && chance.happens(0.2);
  const wrong = chance.happens(0.02) ? chance.below(20) - 10 : 0;
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  if (!headers.some(([name]) => name === 'host')) lines.unshift('host: 127.0.0.1\r\n');
  if (isChunked) lines.push('transfer-encoding: chunked\r\n');
  else if (body.length > 0) lines.push(`content-length: ${Math.max(0, body.length + wrong)}\r\n`);
  if (isLast) lines.push('connection: close\r\n');
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), isChunked ? chunked(body) : body]);
};

/** Resolves when a stream is at its end, whichever that is. */
const closed = (stream: Duplex): Promise<void> =>
  new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', () => resolve());
  });

/** Sends all requests at once on one connection, and reads what comes until nothing more does. */
export const speakHttp1 = async (
  place: Place,
  requests: readonly WireRequest[],
): Promise<readonly WireAnswer[]> => {
  const { port, ca } = place;
  const socket = connect({ port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  const parts: Buffer[] = [];
  socket.on('error', () => socket.destroy());
  socket.write(Buffer.concat(requests.map((one, at) => bytesOf(one, at === requests.length - 1))));
  using silence = new Silence(place, () => socket.destroy());
  socket.on('data', (part: Buffer) => {
    parts.push(part);
    silence.broken();
  });
  await closed(socket);
  return parseAnswers(Buffer.concat(parts), (index) => requests[index]?.method === 'HEAD');
};

/** The same with HTTP/2, where the requests go side by side. */
export const speakHttp2 = async (
  place: Place,
  requests: readonly WireRequest[],
): Promise<readonly WireAnswer[]> => {
  const { port, ca } = place;
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca });
  session.on('error', () => session.destroy());
  const send = async ({ method, target, headers, body }: WireRequest): Promise<WireAnswer> => {
    const head = { ...Object.fromEntries(headers), ':method': method, ':path': target };
    const stream = session.request(head, { endStream: body.length === 0 });
    const parts: Buffer[] = [];
    let code = 0;
    let encoding: string | undefined;
    stream.on('error', () => stream.destroy());
    stream.on('response', (answered) => {
      code = answered[':status'] ?? 0;
      encoding = answered['content-encoding'];
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    using _ = new Silence(place, () => stream.destroy());
    if (body.length > 0) stream.end(body);
    await closed(stream);
    return { code, text: textOf(Buffer.concat(parts), encoding) };
  };
  try {
    return await Promise.all(requests.map(send));
  } finally {
    session.destroy();
  }
};
