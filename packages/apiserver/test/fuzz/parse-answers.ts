import { gunzipSync } from 'node:zlib';

/** One answer of a server. */
export interface WireAnswer {
  readonly code: number;
  readonly text: string;
}

const unzipped = (body: Buffer): string => {
  try {
    return gunzipSync(body, { finishFlush: 2 }).toString();
  } catch {
    return body.toString();
  }
};

/** The content of an answer's body. */
export const textOf = (body: Buffer, encoding: string | undefined): string =>
  encoding === 'gzip' ? unzipped(body) : body.toString();

/** The chunks of a body put together, and where it ends. */
const unchunked = (bytes: Buffer, from: number): readonly [Buffer, number] => {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return [Buffer.concat(parts), bytes.length];
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (!(size > 0)) return [Buffer.concat(parts), line + 4];
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
};

/** Reads the answers on a connection of HTTP/1.1. Asks, for each, whether it is one to `HEAD`. */
export const parseAnswers = (
  bytes: Buffer,
  isHead: (index: number) => boolean,
): readonly WireAnswer[] => {
  const answers: WireAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    const head = bytes.toString('latin1', at, end < 0 ? bytes.length : end).toLowerCase();
    const code = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
    const header = (name: string) => new RegExp(`^${name}: *(.*?) *$`, 'm').exec(head)?.[1];
    at = end < 0 ? bytes.length : end + 4;
    if (code === 100) continue;
    const length = header('content-length');
    let body = bytes.subarray(at);
    if (isHead(answers.length) || code === 304 || code === 204) body = body.subarray(0, 0);
    else if (length !== undefined) body = body.subarray(0, Number(length));
    const isChunked = header('transfer-encoding') === 'chunked';
    const [content, next] = isChunked ? unchunked(bytes, at) : [body, at + body.length];
    at = next;
    answers.push({ code, text: `${head}\n${textOf(content, header('content-encoding'))}` });
  }
  return answers;
};
