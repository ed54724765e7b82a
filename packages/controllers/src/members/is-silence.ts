import { ConnectionError } from '@perigee/kube/errors';

/** Whether a member did not answer; any answer, even a refusal, shows that it is there. */
export const isSilence = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof DOMException && error.name === 'TimeoutError');
