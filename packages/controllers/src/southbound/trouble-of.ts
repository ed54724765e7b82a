import { ApiError, ConfigError, ConnectionError } from '@perigee/kube/errors';
import type { Finding, Trouble } from '@perigee/scheduling/inventory/finding';

const reasonOf = (error: unknown): Trouble => {
  if (error instanceof ConfigError) return 'CredentialsInvalid';
  if (error instanceof ConnectionError) {
    return error.failure === 'unintelligible' ? 'AnswerUnintelligible' : 'ClusterUnreachable';
  }
  if (error instanceof ApiError) {
    return error.code === 401 || error.code === 403 ? 'CredentialsRejected' : 'ClusterNotReady';
  }
  return 'ClusterUnreachable';
};

const messageOf = (error: unknown): string => {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'nothing answered in time; check the address, the network and that the cluster is healthy';
  }
  return error instanceof Error ? error.message : String(error);
};

/** What a failed attempt to use a cluster says about the cluster. */
export const troubleOf = (error: unknown): Finding => ({
  kind: 'trouble',
  reason: reasonOf(error),
  message: messageOf(error),
});
