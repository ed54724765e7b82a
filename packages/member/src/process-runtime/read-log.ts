import { type FileHandle, open } from 'node:fs/promises';
import { orAborted } from '@perigee/kube/client/or-aborted';
import type { PodLogRequest } from '@perigee/kube/client/pod-logs';
import { formatMicroTime } from '@perigee/schema/values/time';
import type { ContainerLog } from './container-log.ts';
import { logFile, logNumbers } from './log-files.ts';

/** The files of a container's log, and its writer while it runs. */
export interface LogPlace {
  readonly folder: string;
  readonly id: string;
  readonly live: ContainerLog | undefined;
}

const NEWLINE = 0x0a;
const TIME_LENGTH = formatMicroTime(0).length;
const STREAM_AT = TIME_LENGTH + 1;
const TAG_AT = STREAM_AT + 'stdout '.length;
const TEXT_AT = TAG_AT + 2;
const END = Buffer.of(NEWLINE);

async function* linesOf(file: FileHandle, rest: { bytes: Buffer }): AsyncGenerator<Buffer[]> {
  const chunk = Buffer.allocUnsafe(65_536);
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length);
    if (bytesRead === 0) return;
    const bytes = Buffer.concat([rest.bytes, chunk.subarray(0, bytesRead)]);
    const lines: Buffer[] = [];
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
      lines.push(bytes.subarray(at, end));
      at = end + 1;
    }
    rest.bytes = bytes.subarray(at);
    yield lines;
  }
}

/** Opens a file unless rotation has deleted it. */
const openOrGone = (path: string): Promise<FileHandle | undefined> =>
  open(path).catch(() => undefined);

/** All lines of a log, including future ones when following a live log. */
async function* allLines(
  { folder, id, live }: LogPlace,
  follow: boolean,
  signal: AbortSignal,
): AsyncGenerator<Buffer[]> {
  const rest = { bytes: Buffer.alloc(0) };
  let file: FileHandle | undefined;
  try {
    for (let number = 0; !signal.aborted; ) {
      // Checked before reading: what is written during the read is not missed.
      const isOver = !follow || live === undefined || live.isEnded;
      const nextChange = live?.nextChange;
      const next = (await logNumbers(folder, id)).find((other) => other > number);
      if (file !== undefined) yield* linesOf(file, rest);
      if (next !== undefined) {
        await file?.close();
        file = await openOrGone(logFile(folder, id, next));
        number = next;
      } else if (isOver) return;
      else await orAborted(nextChange ?? Promise.resolve(), signal).catch(() => {});
    }
  } finally {
    await file?.close();
  }
}

const isWanted = ({ since, stream }: PodLogRequest): ((line: Buffer) => boolean) => {
  const earliest = since === undefined ? '' : formatMicroTime(since);
  return (line) =>
    line.length >= TEXT_AT &&
    (stream === undefined || line.toString('latin1', STREAM_AT, TAG_AT - 1) === stream) &&
    line.toString('latin1', 0, TIME_LENGTH) >= earliest;
};

/** Number of lines before the requested tail. */
const countSkipped = async (place: LogPlace, request: PodLogRequest): Promise<number> => {
  if (request.tailLines === undefined) return 0;
  const isWantedLine = isWanted(request);
  let count = 0;
  for await (const lines of allLines(place, false, request.signal)) {
    for (const line of lines) if (isWantedLine(line)) count += 1;
  }
  return Math.max(0, count - request.tailLines);
};

/** Reads a container's log with the options of the request. */
export async function* readLog(place: LogPlace, request: PodLogRequest): AsyncGenerator<Buffer> {
  const { follow, timestamps, signal } = request;
  const isWantedLine = isWanted(request);
  let skip = await countSkipped(place, request);
  let room = request.limitBytes ?? Number.POSITIVE_INFINITY;
  let isBegin = true;
  for await (const lines of allLines(place, follow, signal)) {
    const parts: Buffer[] = [];
    for (const line of lines) {
      if (!isWantedLine(line) || skip-- > 0) continue;
      if (timestamps && isBegin) parts.push(line.subarray(0, TIME_LENGTH + 1));
      isBegin = line[TAG_AT] === 'F'.charCodeAt(0);
      parts.push(line.subarray(TEXT_AT), ...(isBegin ? [END] : []));
    }
    const bytes = Buffer.concat(parts);
    if (bytes.length > 0) yield bytes.subarray(0, room);
    room -= bytes.length;
    if (room <= 0) return;
  }
}
