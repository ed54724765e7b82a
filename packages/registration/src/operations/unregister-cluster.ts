import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { ABANDON } from '@perigee/scheduling/clusters/inventory/execution-target';
import { RegistrationError } from '../errors.ts';
import { type ClusterRef, describeRef } from './cluster-ref.ts';
import { type GetClusterOptions, getCluster } from './get-cluster.ts';
import { findBoundWork } from './stuck-work.ts';

export interface UnregisterOptions extends GetClusterOptions {
  /** Waits for no work: what runs in the cluster is left to itself, and goes on there. */
  readonly force?: boolean;
  /** The resource versions of which the record has to have one; any will do unless given. */
  readonly versions?: readonly string[];
  /** Checks everything and removes nothing. */
  readonly dryRun?: boolean;
}

export interface Unregistration {
  /** `leaving` while finalizers hold the record: work moves away, and others clean up after the cluster. */
  readonly outcome: 'removed' | 'leaving';
  /** The record as it was last. */
  readonly cluster: ClusterRecord;
  /** How many pieces of work move away first; nobody counts them by force. */
  readonly moving: number;
}

const changed = (ref: ClusterRef, cause?: unknown): RegistrationError =>
  new RegistrationError(
    'Changed',
    `the ${describeRef(ref)} is not as you have seen it: look at it again`,
    { cause },
  );

/** So many are told one by one. */
const EXAMPLES = 5;

/** How many pieces of work will move; refuses when some cannot. */
const countMoving = async (
  client: Pick<Client, 'get' | 'list'>,
  { metadata: { name } }: ClusterRecord,
  options: CallOptions,
): Promise<number> => {
  const { movable, stuck } = await findBoundWork(client, name, options);
  if (stuck.length === 0) return movable;
  const told = stuck.slice(0, EXAMPLES).map(({ what, why }) => `${what} (${why})`);
  const more = stuck.length > EXAMPLES ? `, and ${stuck.length - EXAMPLES} more` : '';
  throw new RegistrationError(
    'HasWork',
    `work on the cluster ${name} cannot go anywhere else: ${told.join(', ')}${more}. Let it go elsewhere or delete it; to leave it there to itself, unregister the cluster by force`,
  );
};

/** Somebody else may write to the record at the same time. */
const ATTEMPTS = 5;

/** Tells those who would wait for work to leave not to; the record as it is then. */
const abandon = async (
  client: Pick<Client, 'get' | 'update'>,
  cluster: ClusterRecord,
  isExact: boolean,
  options: CallOptions,
): Promise<ClusterRecord> => {
  const { name, uid } = cluster.metadata;
  let present = cluster;
  for (let attempt = 1; ; attempt++) {
    const annotations = { ...present.metadata.annotations, [ABANDON]: 'true' };
    const metadata = { ...present.metadata, uid, annotations };
    try {
      return await client.update(ClusterRecord, { ...present, metadata }, options);
    } catch (error) {
      if (!isConflict(error) || isExact || attempt === ATTEMPTS) throw error;
      present = await client.get(ClusterRecord, { name }, options);
    }
  }
};

/**
 * Takes a cluster out of the inventory. Work that can move is moved first; when some cannot, nothing is
 * done. By force it asks about no work: the cluster goes, and what runs there goes on without a master.
 * @throws `RegistrationError` `NotRegistered`, `HasWork`, `Changed` or `BadReference`; `ApiError` for what
 *   the API server refuses.
 */
export const unregisterCluster = async (
  client: Pick<Client, 'get' | 'list' | 'update' | 'delete'>,
  ref: ClusterRef,
  options: UnregisterOptions = {},
): Promise<Unregistration> => {
  const { force = false, versions, dryRun = false, signal, knownIds } = options;
  const call = signal ? { signal } : {};
  let cluster = await getCluster(client, ref, knownIds ? { ...call, knownIds } : call);
  const { name, uid, finalizers = [], deletionTimestamp } = cluster.metadata;
  const isExact = versions !== undefined;
  if (isExact && !versions.includes(cluster.metadata.resourceVersion)) throw changed(ref);
  const remove = (isTrial: boolean): Promise<void> => {
    const { resourceVersion } = cluster.metadata;
    const preconditions = { uid, ...(isExact ? { resourceVersion } : {}) };
    return client.delete(ClusterRecord, { name }, { ...call, dryRun: isTrial, preconditions });
  };
  let moving = 0;
  try {
    if (force) {
      if (finalizers.length > 0 && !dryRun) cluster = await abandon(client, cluster, isExact, call);
    } else if (deletionTimestamp === undefined) {
      // Who may not unregister the cluster learns that, and nothing about the work on it.
      await remove(true);
      moving = await countMoving(client, cluster, call);
    }
    await remove(dryRun);
  } catch (error) {
    if (isConflict(error)) throw changed(ref, error);
    if (!isNotFound(error)) throw error;
    throw new RegistrationError('NotRegistered', `the cluster ${name} is gone already`, {
      cause: error,
    });
  }
  return { outcome: finalizers.length === 0 ? 'removed' : 'leaving', cluster, moving };
};
