import type { IncomingHttpHeaders } from 'node:http';
import { EndpointError, type EndpointProblem } from '../errors.ts';
import type { Bucket } from './s3-connection.ts';
import { textOf } from './s3-xml.ts';

const BY_CODE: { readonly [code: string]: EndpointProblem } = {
  NoSuchBucket: 'Missing',
  NoSuchKey: 'Missing',
  NoSuchUpload: 'Missing',
  AccessDenied: 'Denied',
  InvalidAccessKeyId: 'Denied',
  SignatureDoesNotMatch: 'Denied',
  ExpiredToken: 'Denied',
  InvalidToken: 'Denied',
  AllAccessDisabled: 'Denied',
  PreconditionFailed: 'Changed',
  QuotaExceeded: 'Full',
  XMinioAdminBucketQuotaExceeded: 'Full',
  XMinioStorageFull: 'Full',
  SlowDown: 'Unavailable',
  InternalError: 'Unavailable',
  RequestTimeout: 'Unavailable',
  ServiceUnavailable: 'Unavailable',
  OperationAborted: 'Unavailable',
  // The server received damaged bytes.
  BadDigest: 'Unavailable',
  IncompleteBody: 'Unavailable',
  XAmzContentSHA256Mismatch: 'Unavailable',
  RequestTimeTooSkewed: 'Refused',
};

const byStatus = (status: number): EndpointProblem => {
  if (status === 401 || status === 403) return 'Denied';
  if (status === 404) return 'Missing';
  if (status === 412) return 'Changed';
  if (status === 507) return 'Full';
  return status >= 500 || status === 408 || status === 429 ? 'Unavailable' : 'Refused';
};

/** Advice for people, by the code of the error. */
const HINTS: { readonly [code: string]: string } = {
  InvalidAccessKeyId: 'the access key is not known there',
  SignatureDoesNotMatch: 'the secret key does not belong to the access key',
  ExpiredToken: 'the session token has ended',
  RequestTimeTooSkewed: 'the clock of this machine differs from that of the server',
};

/** Puts an answer of S3 into our terms. Its words are kept short, and hold nothing of what was sent. */
export const s3ErrorOf = (
  status: number,
  headers: IncomingHttpHeaders,
  xml: string,
  { bucket, region, credentials }: Pick<Bucket, 'bucket' | 'region' | 'credentials'>,
): EndpointError => {
  const code = textOf(xml, 'Code');
  const right = String(headers['x-amz-bucket-region'] ?? '') || textOf(xml, 'Region');
  if ((status === 301 || status === 400) && right !== '' && right !== region) {
    const message = `bucket ${bucket} is in the region ${right}, not in ${region}: set the option region`;
    return new EndpointError('Refused', message, code);
  }
  const words = HINTS[code] ?? textOf(xml, 'Message').slice(0, 200);
  const problem = BY_CODE[code] ?? byStatus(status);
  // Servers that know no anonymous requests call them by many names.
  const mayNeedKeys = credentials === undefined && ['Denied', 'Refused'].includes(problem);
  const details = [
    code || `status ${status}`,
    words,
    mayNeedKeys ? 'asked without credentials' : '',
  ].filter((text) => text !== '');
  return new EndpointError(problem, `bucket ${bucket}: ${details.join(', ')}`, code);
};
