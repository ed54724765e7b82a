import { ConnectionError } from '@perigee/kube/errors';

/** True if a member did not answer; a refusal is an answer. */
export const isSilence = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof DOMException && error.name === 'TimeoutError');
