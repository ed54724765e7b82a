import { constants, crc32, inflateRawSync } from 'node:zlib';
import { RecentMap } from '@perigee/schema/recent-map';

const LINE_END = 10;
/** With which no JSON begins. */
const GZIP = 0x1f;
const GZIP_HEAD_BYTES = 10;
/** The end of an empty block, after which a server has told all that it had to tell. */
const FLUSH = Buffer.from([0, 0, 0xff, 0xff]);
const MOST_KNOWN = 512;
/** Different pieces differ within this prefix: in the name and version of the first object. */
const KEY_BYTES = 1024;
const FIRST_PIECE_BYTES = 64 * 1024;

const linesIn = (chunk: Buffer): number => {
  let lines = 0;
  for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) lines++;
  return lines;
};

interface Known {
  readonly bytes: Buffer;
  readonly events: number;
}

const eventCounts = new RecentMap<number, Known>(MOST_KNOWN);

/**
 * The load stands for a thousand clients, each with a processor of its own. It inflates what is new, and of
 * what it has seen before it makes sure that it is the same, byte by byte.
 */
const eventsIn = (piece: Buffer): number => {
  const key = crc32(piece.subarray(0, KEY_BYTES));
  const cachedCount = eventCounts.get(key);
  if (cachedCount?.bytes.equals(piece)) return cachedCount.events;
  const events = linesIn(inflateRawSync(piece, { finishFlush: constants.Z_SYNC_FLUSH }));
  eventCounts.set(key, { bytes: Buffer.from(piece), events });
  return events;
};

/**
 * Counts the events of one watch. If it is compressed, it has to be flushed after each piece, and the pieces
 * must not lean on each other.
 */
export class EventCounter {
  #isZipped: boolean | undefined;
  #piece = Buffer.alloc(0);
  #length = 0;
  #headBytes = GZIP_HEAD_BYTES;

  /** Number of events in the next bytes, or that end with them. */
  count(chunk: Buffer, endsFrame: boolean): number {
    this.#isZipped ??= chunk[0] === GZIP;
    if (!this.#isZipped) return linesIn(chunk);
    this.#keep(chunk);
    const piece = this.#piece.subarray(this.#headBytes, this.#length);
    if (!endsFrame || !piece.subarray(-FLUSH.length).equals(FLUSH)) return 0;
    this.#length = 0;
    this.#headBytes = 0;
    return eventsIn(piece);
  }

  #keep(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#piece.length) {
      const larger = Buffer.alloc(Math.max(FIRST_PIECE_BYTES, 2 * length));
      this.#piece.copy(larger, 0, 0, this.#length);
      this.#piece = larger;
    }
    chunk.copy(this.#piece, this.#length);
    this.#length = length;
  }
}
