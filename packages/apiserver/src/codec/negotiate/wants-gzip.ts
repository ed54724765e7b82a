/** Below this the time to compress costs more than the bytes do. */
const GZIP_FROM_BYTES = 128 * 1024;

/** The level at which compressing keeps up with a fast network. */
export const GZIP_LEVEL = 1;

/** A weight of nothing refuses it. */
const GZIP = /^gzip(?:;q=(?!0(?:\.0*)?$).*)?$/i;

export const readsGzip = (acceptEncoding = ''): boolean =>
  acceptEncoding.split(',').some((coding) => GZIP.test(coding.replaceAll(/\s/g, '')));

/** True if a whole reply of so many bytes is worth compressing for a client that can read it. */
export const wantsGzip = (acceptEncoding: string | undefined, bytes: number): boolean =>
  bytes > GZIP_FROM_BYTES && readsGzip(acceptEncoding);
