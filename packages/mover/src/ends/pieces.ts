/** Files are read, written, checked and resumed in pieces of this size. It is part of what digests mean. */
export const PIECE_BYTES = 8 * 2 ** 20;

export interface Piece {
  readonly index: number;
  readonly offset: number;
  readonly length: number;
}

/** True of a stretch that is one piece, rather than several of them together. */
export const isPiece = ({ index, offset, length }: Piece): boolean =>
  offset === index * PIECE_BYTES && length <= PIECE_BYTES;

/** The pieces of a file, in order. An empty file has none. */
export const piecesOf = function* (size: number): Generator<Piece> {
  for (let offset = 0, index = 0; offset < size; offset += PIECE_BYTES, index++) {
    yield { index, offset, length: Math.min(PIECE_BYTES, size - offset) };
  }
};
