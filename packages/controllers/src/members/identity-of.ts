import type { CallOptions, Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';

const SYSTEM = { name: 'kube-system' };

/**
 * The identity of a cluster, whatever its name: the uid of its namespace kube-system, as in Karmada. Undefined if
 * the namespace does not exist or may not be read.
 */
export const identityOf = async (
  client: Pick<Client, 'get'>,
  options: CallOptions,
): Promise<string | undefined> => {
  try {
    return (await client.get(Namespace, SYSTEM, options)).metadata.uid;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
};
