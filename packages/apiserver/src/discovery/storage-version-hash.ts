import { createHash } from 'node:crypto';
import type { ServedResource } from '../resource/served-resource.ts';

/** Tells clients that migrate storage when the version in which objects are stored has changed. */
export const storageVersionHash = ({ kind, storage }: ServedResource): string =>
  createHash('sha256')
    .update(`${storage.group}/${storage.version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
