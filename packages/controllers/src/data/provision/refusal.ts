import { ConnectionError } from '@perigee/kube/errors';
import type { ProvisionerAnswer } from '@perigee/scheduling/data/provision/read-answer';

/** Status codes that describe the state of the server, not the question. */
const BUSY: ReadonlySet<number> = new Set([408, 419, 425, 429]);

const ADVICE: { readonly [code: number]: string } = {
  401: ': the operator has to correct the credentials',
  403: ': the credentials do not allow it',
};

/** Interprets an error status. A server error counts as no response, to be retried. */
export const refusal = (code: number): ProvisionerAnswer => {
  if (code >= 500 || BUSY.has(code)) {
    throw new ConnectionError(`the provisioner answered with status ${code}`, {
      failure: 'broken',
    });
  }
  if (code === 404) {
    const message =
      'it has status 404; should the data exist, the operator has to check the address';
    return { kind: 'missing', message, isCertain: false };
  }
  const isElsewhere = code >= 300 && code < 400;
  const advice = isElsewhere ? ', a redirect, which is not followed' : (ADVICE[code] ?? '');
  return { kind: 'unusable', message: `it has status ${code}${advice}` };
};
