import { requestTooLarge } from '../status/request-refusals.ts';
import type { Exchange } from './exchange.ts';
import { headerOf } from './exchange.ts';

const LARGEST_BODY_BYTES = 3 * 1024 * 1024;

const cutOff = (): Error => new Error('the client was gone before all of its request had come');

/**
 * The whole body of a request; refuses one that is too large before it takes any room. Listens to the
 * events of the stream, because to iterate over it costs several times as much.
 */
export const readBody = (exchange: Exchange): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { request } = exchange;
    if (Number(headerOf(exchange, 'content-length') ?? 0) > LARGEST_BODY_BYTES) {
      throw requestTooLarge(LARGEST_BODY_BYTES);
    }
    if (request.aborted || request.destroyed) throw cutOff();
    const parts: Buffer[] = [];
    let bytes = 0;
    let isWhole = false;
    const take = (part: Buffer): void => {
      bytes += part.length;
      if (bytes <= LARGEST_BODY_BYTES) return void parts.push(part);
      request.off('data', take);
      request.pause();
      reject(requestTooLarge(LARGEST_BODY_BYTES));
    };
    request.on('data', take);
    request.on('end', () => {
      isWhole = true;
      const [first] = parts;
      resolve(parts.length === 1 && first !== undefined ? first : Buffer.concat(parts));
    });
    request.on('error', reject);
    // Every request closes at last, and to make an error takes long.
    request.on('close', () => void (isWhole || reject(cutOff())));
  });
