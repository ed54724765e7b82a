import { EndpointError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { bareEtag } from './etag.ts';

/** A part of an object, of a version of it. */
export interface ObjectStretch {
  readonly etag: string;
  readonly size: number;
  readonly offset: number;
  readonly length: number;
}

const isWhole = ({ offset, length, size }: ObjectStretch): boolean =>
  offset === 0 && length === size;

/** The headers that ask for just that. */
export const stretchHeaders = (stretch: ObjectStretch): Record<string, string> => {
  const { etag, offset, length } = stretch;
  const range = `bytes=${offset}-${offset + length - 1}`;
  return { 'if-match': `"${etag}"`, ...(!isWhole(stretch) && { range }) };
};

/** Problem of an answer to a range request, such as that of a server that ignores the range. */
export const problemOfStretch = (
  { headers }: Pick<Answer, 'headers'>,
  stretch: ObjectStretch,
): EndpointError | undefined => {
  const { etag, offset } = stretch;
  if (headers.etag !== undefined && bareEtag(headers.etag) !== etag) {
    return new EndpointError('Changed', 'the object was replaced');
  }
  // Some servers send a part with 200; the range shows it.
  const range = headers['content-range'];
  const isAsked = range === undefined ? isWhole(stretch) : range.startsWith(`bytes ${offset}-`);
  if (isAsked) return undefined;
  return new EndpointError(
    'Refused',
    'the server sends another part of the object than was asked for',
  );
};
