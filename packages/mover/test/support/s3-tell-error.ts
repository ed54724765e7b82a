import type { ServerResponse } from 'node:http';
import { REGION } from './s3-signature.ts';

const STATUS: { readonly [code: string]: number } = {
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  InvalidPart: 400,
  PreconditionFailed: 412,
  SlowDown: 503,
  AuthorizationHeaderMalformed: 400,
  XAmzContentSHA256Mismatch: 400,
  QuotaExceeded: 403,
  BadDigest: 400,
  RequestTimeout: 400,
  OperationAborted: 409,
};

/** Answers with an error by its code. */
export const tellError = (response: ServerResponse, code: string, isHead: boolean): void => {
  const more = code === 'AuthorizationHeaderMalformed' ? `<Region>${REGION}</Region>` : '';
  const text = `<Error><Code>${code}</Code><Message>no</Message>${more}</Error>`;
  response.writeHead(STATUS[code] ?? 403, isHead ? {} : { 'content-length': text.length });
  response.end(isHead ? undefined : text);
};
