import { requestTooLarge } from '../status/request-refusals.ts';
import type { Exchange } from './exchange.ts';
import { headerOf } from './exchange.ts';

const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

/** The whole body of a request; refuses one that is too large before it takes any room. */
export const readBody = async (exchange: Exchange): Promise<Buffer> => {
  if (Number(headerOf(exchange, 'content-length') ?? 0) > LARGEST_BODY_BYTES) {
    throw requestTooLarge(LARGEST_BODY_BYTES);
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of exchange.request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > LARGEST_BODY_BYTES) throw requestTooLarge(LARGEST_BODY_BYTES);
    parts.push(part);
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
};
