import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { CallOptions, Client } from '@perigee/kube/client/client';
import { isConflict, isNotFound } from '@perigee/kube/errors';
import { ABANDON } from '@perigee/scheduling/clusters/inventory/execution-target';
import { present } from '@perigee/schema/present';
import { RegistrationError } from '../errors.ts';
import { type ClusterRef, describeRef } from './cluster-ref.ts';
import { type GetClusterOptions, getCluster } from './get-cluster.ts';
import { findBoundWork } from './stuck-work.ts';

export interface UnregisterOptions extends GetClusterOptions {
  /** Does not wait for work to move: it keeps running in the cluster, unmanaged. */
  readonly force?: boolean;
  /** Preconditions: the record must have one of these resource versions. Any version will do without them. */
  readonly versions?: readonly string[];
  /** Runs all checks without removing anything. */
  readonly dryRun?: boolean;
}

export interface Unregistration {
  /** `leaving` while finalizers hold the record: work moves away and controllers clean up. */
  readonly outcome: 'removed' | 'leaving';
  /** The last version of the record. */
  readonly cluster: ClusterRecord;
  /** Number of workloads that move away first; not counted with `force`. */
  readonly moving: number;
}

const changedError = (ref: ClusterRef, cause?: unknown): RegistrationError =>
  new RegistrationError(
    'Changed',
    `the ${describeRef(ref)} is not as you have seen it: look at it again`,
    { cause },
  );

/** The most workloads that the error message names. */
const EXAMPLES = 5;

/** Counts the workloads that will move; throws if some cannot. */
const countMoving = async (
  client: Pick<Client, 'get' | 'list'>,
  { metadata: { name } }: ClusterRecord,
  options: CallOptions,
): Promise<number> => {
  const { movable, stuck } = await findBoundWork(client, name, options);
  if (stuck.length === 0) return movable;
  const examples = stuck.slice(0, EXAMPLES).map(({ what, why }) => `${what} (${why})`);
  const more = stuck.length > EXAMPLES ? `, and ${stuck.length - EXAMPLES} more` : '';
  throw new RegistrationError(
    'HasWork',
    `work on the cluster ${name} cannot go anywhere else: ${examples.join(', ')}${more}. Let it go elsewhere or delete it; to leave it there to itself, unregister the cluster by force`,
  );
};

/** Retries on conflict with concurrent writers. */
const ATTEMPTS = 5;

/** Sets the annotation by which controllers do not wait for work to leave; returns the updated record. */
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
 * Removes a cluster from the inventory. Work that can move is moved first; if any cannot, nothing is done.
 * With `force` work is not checked: the record goes, and the work keeps running there unmanaged.
 * @throws `RegistrationError` `NotRegistered`, `HasWork`, `Changed` or `BadReference`; `ApiError` when the
 * API server refuses.
 */
export const unregisterCluster = async (
  client: Pick<Client, 'get' | 'list' | 'update' | 'delete'>,
  ref: ClusterRef,
  options: UnregisterOptions = {},
): Promise<Unregistration> => {
  const { force = false, versions, dryRun = false, signal, knownIds } = options;
  const call = present({ signal });
  let cluster = await getCluster(client, ref, knownIds ? { ...call, knownIds } : call);
  const { name, uid, finalizers = [], deletionTimestamp } = cluster.metadata;
  const isExact = versions !== undefined;
  if (isExact && !versions.includes(cluster.metadata.resourceVersion)) throw changedError(ref);
  const remove = (isTrial: boolean): Promise<void> => {
    const { resourceVersion } = cluster.metadata;
    const preconditions = {
      uid,
      ...present({ resourceVersion: isExact ? resourceVersion : undefined }),
    };
    return client.delete(ClusterRecord, { name }, { ...call, dryRun: isTrial, preconditions });
  };
  let moving = 0;
  try {
    if (force) {
      if (finalizers.length > 0 && !dryRun) cluster = await abandon(client, cluster, isExact, call);
    } else if (deletionTimestamp === undefined) {
      // The dry run comes first: a caller without the right to delete must not learn about the work there.
      await remove(true);
      moving = await countMoving(client, cluster, call);
    }
    await remove(dryRun);
  } catch (error) {
    if (isConflict(error)) throw changedError(ref, error);
    if (!isNotFound(error)) throw error;
    throw new RegistrationError('NotRegistered', `the cluster ${name} is gone already`, {
      cause: error,
    });
  }
  return { outcome: finalizers.length === 0 ? 'removed' : 'leaving', cluster, moving };
};
