import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { MoverClock } from '../clock.ts';
import { MoveError } from '../errors.ts';
import { decodePath, encodeEntry } from '../peer/wire-entry.ts';
import type { LocalPlace } from '../place.ts';
import type { RateLimit } from './rate-limit.ts';
import { type FoundEntry, findEntry, openFound } from './served-tree.ts';

const CHUNK_BYTES = 2 ** 18;
const LONGEST_PATH = 64 * 1024;

export interface Serving {
  readonly rate: RateLimit;
  readonly clock: Pick<MoverClock, 'yield'>;
  readonly onBytes: (count: number) => void;
}

const end = (response: ServerResponse, status: number): void => {
  response.writeHead(status, { 'content-length': '0' });
  response.end();
};

/** Waits until the other side has taken what it was sent. */
const untilDrained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    if (response.destroyed) resolve();
    else response.on('drain', go).on('close', go);
  });

const list = async (match: FoundEntry, response: ServerResponse, { clock }: Serving) => {
  using folder = await match.folder.enter(match.entry.name);
  response.writeHead(200, { 'content-type': 'application/jsonl' });
  let count = 0;
  for await (const entry of folder.entries()) {
    if (response.destroyed) return;
    if (!response.write(`${encodeEntry(entry)}\n`)) await untilDrained(response);
    if (++count % 256 === 0) await clock.yield();
  }
  // An empty line marks the end: nothing was cut off.
  response.end('\n');
};

interface Asked {
  readonly hashFrom: number;
  readonly from: number;
  readonly to: number;
}

/** The stretch that a request asks for, as long as it is one of the file. */
const askedOf = ({ headers }: IncomingMessage, size: number): Asked | undefined => {
  const [, first, last] = /^bytes=(\d{1,16})-(\d{1,16})$/.exec(headers.range ?? '') ?? [];
  const hashFrom = Number(headers['x-hash-from'] ?? first);
  const [from, to] = [Number(first), Number(last) + 1];
  return hashFrom >= 0 && hashFrom <= from && from <= to && to <= size
    ? { hashFrom, from, to }
    : undefined;
};

const send = async (
  request: IncomingMessage,
  target: FoundEntry,
  response: ServerResponse,
  { rate, clock, onBytes }: Serving,
): Promise<void> => {
  const { entry } = target;
  if (entry.kind !== 'file') return end(response, 404);
  using file = openFound(target);
  const version = await file.version();
  if (request.headers['if-match'] !== JSON.stringify(version)) return end(response, 412);
  const requestedRange = askedOf(request, entry.size);
  if (requestedRange === undefined) return end(response, 416);
  response.writeHead(206, { trailer: 'x-digest' });
  const sum = createHash('sha256');
  for (let at = requestedRange.hashFrom; at < requestedRange.to && !response.destroyed; ) {
    const most = at < requestedRange.from ? requestedRange.from : requestedRange.to;
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, most - at));
    const count = await file.read(buffer, at);
    // It has become shorter: the other side learns that it was changed when it asks again.
    if (count === 0) return void response.destroy();
    const bytes = buffer.subarray(0, count);
    sum.update(bytes);
    if (at >= requestedRange.from) {
      await rate.pass(count);
      onBytes(count);
      if (!response.write(bytes)) await untilDrained(response);
    }
    at += count;
    await clock.yield();
  }
  if ((await file.version()) !== version) return void response.destroy();
  response.addTrailers({ 'x-digest': sum.digest('hex') });
  response.end();
};

/** Answers what another mover asks about a tree, once that one is known. */
export const answerRequest = async (
  request: IncomingMessage,
  response: ServerResponse,
  tree: LocalPlace,
  what: string,
  serving: Serving,
): Promise<void> => {
  const { searchParams } = new URL(request.url ?? '', 'https://peer');
  const path = searchParams.get('path') ?? '';
  if (path.length > LONGEST_PATH) return end(response, 414);
  let target: FoundEntry | undefined;
  try {
    target = await findEntry(tree, decodePath(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isGone =
      (error instanceof MoveError && error.reason === 'SourceMissing') || code === 'ENOENT';
    if (!isGone) throw error;
  }
  if (target === undefined) return end(response, 404);
  using at = target;
  switch (what) {
    case 'entry': {
      const body = encodeEntry(at.entry);
      response.writeHead(200, { 'content-length': String(Buffer.byteLength(body)) });
      response.end(body);
      return;
    }
    case 'list':
      if (at.entry.kind !== 'folder') return end(response, 404);
      return list(at, response, serving);
    case 'file':
      return send(request, at, response, serving);
    default:
      return end(response, 404);
  }
};
