import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { deflatedPiece, type GzipPiece, storedPiece } from '../gzip/gzip-piece.ts';
import { GzipStream } from '../gzip/gzip-stream.ts';

/** Number of watches of the same from which it pays to compress their events, once for all of them. */
const COMPRESSED_FROM = 16;

/** The output stream of a watch. */
export interface WatchBody {
  readonly stream: Writable;
  /** Resolves when the client can take more. The crowd is the number of watches that get the same lines. */
  write(lines: Buffer, crowd?: number): Promise<void>;
  end(lines?: Buffer): void;
}

const writeTo = async (stream: Writable, bytes: Buffer, signal: AbortSignal): Promise<void> => {
  if (signal.aborted || stream.write(bytes)) return;
  await once(stream, 'drain', { signal }).catch(() => {});
};

export const plainBody = (stream: Writable, signal: AbortSignal): WatchBody => ({
  stream,
  write: async (lines) => {
    if (lines.length > 0) await writeTo(stream, lines, signal);
  },
  end: (lines) => void stream.end(lines),
});

/**
 * A gzip body. A crowd shares the compressed bytes. Few watches get stored blocks without compression: to compress
 * for one client costs more than it saves.
 */
export const gzipBody = (stream: Writable, signal: AbortSignal): WatchBody => {
  const gzip = new GzipStream();
  const pieceOf = (lines: Buffer, crowd: number): GzipPiece =>
    crowd < COMPRESSED_FROM ? storedPiece(lines) : deflatedPiece(lines);
  return {
    stream,
    write: async (lines, crowd = 1) => {
      // Each counted piece has to be sent: the trailer has the checksum of all of them.
      if (lines.length === 0 || signal.aborted) return;
      await writeTo(stream, gzip.next(pieceOf(lines, crowd)), signal);
    },
    end: (lines) => {
      if (lines !== undefined) stream.write(gzip.next(storedPiece(lines)));
      stream.end(gzip.end());
    },
  };
};
