import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/**
 * Loaded into a mover before anything else. As with Node.js 24.0 to 24.3, hashes in one go take the name of an
 * encoding, and no options.
 */
const { hash } = crypto;
Object.assign(crypto, {
  hash: (algorithm: string, data: Buffer, encoding: unknown = 'hex') => {
    if (typeof encoding !== 'string')
      throw new TypeError('"outputEncoding" must be of type string');
    return hash(algorithm, data, encoding as 'hex');
  },
});
syncBuiltinESMExports();
