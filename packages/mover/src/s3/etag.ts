import type { IncomingHttpHeaders } from 'node:http';

const MD5 = /^[0-9a-f]{32}$/;

/** ETags come with quotes or without. */
export const bareEtag = (etag = ''): string => etag.replaceAll('"', '');

/**
 * The MD5 of what the server has, by its ETag: of what was written at once, unless the server keeps it under a
 * key of KMS. Then the ETag has the same form, but is none.
 */
export const md5Of = (etag: string, headers: IncomingHttpHeaders): string | undefined => {
  const encryption = String(headers['x-amz-server-side-encryption'] ?? '');
  return MD5.test(etag) && !encryption.startsWith('aws:kms') ? etag : undefined;
};
