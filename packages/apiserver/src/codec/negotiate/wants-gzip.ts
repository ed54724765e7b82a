/** Below this the time to compress costs more than the bytes do. */
const GZIP_FROM_BYTES = 128 * 1024;

/** The level at which compressing keeps up with a fast network. */
export const GZIP_LEVEL = 1;

/** Whether a whole reply of so many bytes is worth compressing for a client that can read it. */
export const wantsGzip = (acceptEncoding: string | undefined, bytes: number): boolean =>
  bytes > GZIP_FROM_BYTES &&
  (acceptEncoding ?? '').split(',').some((coding) => coding.split(';')[0]?.trim() === 'gzip');
