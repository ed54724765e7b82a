import type { CallOptions, Client } from '@perigee/kube/client/client';
import { ApiError } from '@perigee/kube/errors';
import { Namespace } from '@perigee/kubernetes/core/namespace';

const SYSTEM = { name: 'kube-system' };

/**
 * By what a cluster can be told from all others, whatever it is called: the uid of its namespace kube-system, as
 * Karmada has it. Nothing where there is no such namespace, or where it may not be seen.
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
