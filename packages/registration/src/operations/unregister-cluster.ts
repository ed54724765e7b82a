import { Cluster } from '@perigee/api/kinds/globalscheduler/cluster';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { RegistrationError } from '../errors.ts';
import { findBoundWork } from './bound-work.ts';
import { type ClusterRef, describeRef } from './cluster-ref.ts';
import { type GetClusterOptions, getCluster } from './get-cluster.ts';

export interface UnregisterOptions extends GetClusterOptions {
  /** Unregisters it even though work is bound to it. */
  readonly force?: boolean;
  /** The resource versions of which the record has to have one; any will do unless given. */
  readonly versions?: readonly string[];
  /** Checks everything and removes nothing. */
  readonly dryRun?: boolean;
}

export interface Unregistration {
  /** `leaving` while finalizers hold the record: others still clean up after the cluster. */
  readonly outcome: 'removed' | 'leaving';
  /** The record as it was last. */
  readonly cluster: Cluster;
}

const changed = (ref: ClusterRef, cause?: unknown): RegistrationError =>
  new RegistrationError(
    'Changed',
    `the ${describeRef(ref)} is not as you have seen it: look at it again`,
    { cause },
  );

const refuseBusy = async (
  client: Pick<Client, 'list'>,
  { metadata: { name } }: Cluster,
  options: CallOptions,
): Promise<void> => {
  const work = await findBoundWork(client, name, options);
  if (work === undefined) return;
  const { namespace, name: example } = work.metadata;
  throw new RegistrationError(
    'HasWork',
    `work is still bound to the cluster ${name}, such as ${namespace}/${example}: move it away first, or unregister the cluster by force`,
  );
};

/**
 * Takes a cluster out of the inventory. It undeploys nothing. Unless forced, it looks first whether work is
 * bound to the cluster, which needs the right to list Works.
 * @throws `RegistrationError` `NotRegistered`, `HasWork`, `Changed` or `BadReference`; `ApiError` for what
 *   the API server refuses.
 */
export const unregisterCluster = async (
  client: Pick<Client, 'get' | 'list' | 'delete'>,
  ref: ClusterRef,
  options: UnregisterOptions = {},
): Promise<Unregistration> => {
  const { force = false, versions, dryRun = false, signal, knownIds } = options;
  const call = signal ? { signal } : {};
  const cluster = await getCluster(client, ref, knownIds ? { ...call, knownIds } : call);
  const { name, uid, resourceVersion, finalizers = [] } = cluster.metadata;
  if (versions !== undefined && !versions.includes(resourceVersion)) throw changed(ref);
  const preconditions = { uid, ...(versions === undefined ? {} : { resourceVersion }) };
  const remove = (isTrial: boolean): Promise<void> =>
    client.delete(Cluster, { name }, { ...call, dryRun: isTrial, preconditions });
  try {
    if (!force) {
      // Who may not unregister the cluster learns that, and nothing about the work on it.
      await remove(true);
      await refuseBusy(client, cluster, call);
    }
    await remove(dryRun);
  } catch (error) {
    if (isConflict(error)) throw changed(ref, error);
    if (!isNotFound(error)) throw error;
    throw new RegistrationError('NotRegistered', `the cluster ${name} is gone already`, {
      cause: error,
    });
  }
  return { outcome: finalizers.length === 0 ? 'removed' : 'leaving', cluster };
};
