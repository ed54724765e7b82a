import { constants, crc32, inflateRawSync } from 'node:zlib';

/** How many events are in the next bytes of a watch. */
export type EventCounter = (chunk: Buffer) => number;

const LINE_END = 10;

export const countLines: EventCounter = (chunk) => {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines++;
  return lines;
};

const HEAD_BYTES = 10;
/** The end of an empty block, after which a server has told all that it had to tell. */
const FLUSH = Buffer.from([0, 0, 0xff, 0xff]);
const MOST_KNOWN = 512;

interface Known {
  readonly bytes: Buffer;
  readonly events: number;
}

const known = new Map<number, Known>();

/**
 * The load stands for a thousand clients, each with a processor of its own. It inflates what is new, and of
 * what it has seen before it makes sure that it is the same, byte by byte.
 */
const eventsIn = (bytes: Buffer): number => {
  const key = crc32(bytes);
  const found = known.get(key);
  if (found?.bytes.equals(bytes)) return found.events;
  const lines = inflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  const events = countLines(lines);
  known.set(key, { bytes, events });
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size > MOST_KNOWN) known.delete(oldest);
  return events;
};

/** For a body in gzip that is flushed after each piece, and whose pieces do not lean on each other. */
export const countInflated = (): EventCounter => {
  let waiting: Buffer[] = [];
  let head = HEAD_BYTES;
  return (chunk) => {
    const content = chunk.subarray(head);
    head -= chunk.length - content.length;
    waiting.push(content);
    if (!content.subarray(-FLUSH.length).equals(FLUSH)) return 0;
    const [first = content] = waiting;
    const bytes = waiting.length === 1 ? first : Buffer.concat(waiting);
    waiting = [];
    return eventsIn(bytes);
  };
};
