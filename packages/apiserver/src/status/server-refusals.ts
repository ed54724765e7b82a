import { ApiError } from '@perigee/kube/errors';
import { refusal } from './refusal.ts';

/** The state asked for is no longer kept: list again. */
export const expired = (message: string): ApiError => refusal(410, 'Expired', message);

export const tooOldList = (): ApiError =>
  expired('The resourceVersion for the provided list is too old.');

export const tooOldWatch = (requestedRevision: number, oldest: number): ApiError =>
  expired(`too old resource version: ${requestedRevision} (${oldest})`);

export const timeout = (message: string, retryAfterSeconds = 0): ApiError =>
  refusal(
    504,
    'Timeout',
    `Timeout: ${message}`,
    retryAfterSeconds > 0 ? { retryAfterSeconds } : {},
  );

/** The version is one that this server has not reached: asking again may help. */
export const tooLargeVersion = (requestedRevision: number, present: number): ApiError =>
  refusal(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${requestedRevision}, current: ${present}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  );

export const tooManyRequests = (
  message = 'Too many requests, please try again later.',
  retryAfterSeconds = 1,
): ApiError => refusal(429, 'TooManyRequests', message, { retryAfterSeconds });

export const internalError = (message: string): ApiError =>
  refusal(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

export const serviceUnavailable = (message: string): ApiError =>
  refusal(503, 'ServiceUnavailable', message);

/** Something outside of this server went wrong, in whose words the answer is: Kubernetes gives no reason. */
export const unexpectedError = (message: string): ApiError => {
  const { reason: _, ...status } = refusal(500, '', message).status;
  return new ApiError(status);
};
