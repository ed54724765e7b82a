import { ApiError, ConfigError, ConnectionError } from '@perigee/kube/errors';
import type { Finding, Trouble } from '@perigee/scheduling/clusters/inventory/finding';
import { CloudRefusal } from '../../errors.ts';
import { answerOf, memberMessage } from '../../members/member-message.ts';

const reasonOf = (error: unknown): Trouble => {
  if (error instanceof ConfigError) return 'CredentialsInvalid';
  if (error instanceof ConnectionError) {
    return error.failure === 'unintelligible' ? 'AnswerUnintelligible' : 'ClusterUnreachable';
  }
  if (error instanceof ApiError || error instanceof CloudRefusal) {
    return error.code === 401 || error.code === 403 ? 'CredentialsRejected' : 'ClusterNotReady';
  }
  return 'ClusterUnreachable';
};

const ADVICE: { readonly [code: number]: string } = {
  401: ': the credentials in the Secret that spec.secretRef names are wrong or expired',
  403: ': the user in the Secret that spec.secretRef names needs a role that allows it',
};

const messageOf = (error: unknown): string => {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'nothing answered in time; check the address, the network and that the cluster is healthy';
  }
  if (!(error instanceof ApiError)) return memberMessage(error);
  return `its API server answered with ${answerOf(error)}${ADVICE[error.code] ?? ''}`;
};

/**
 * Converts a failed request to a finding. Text from the remote side is left out: everybody who may read clusters
 * sees this, and any server may be at that address.
 */
export const troubleOf = (error: unknown): Finding => ({
  kind: 'trouble',
  reason: reasonOf(error),
  message: messageOf(error),
});
