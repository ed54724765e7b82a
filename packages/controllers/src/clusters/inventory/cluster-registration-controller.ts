import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { addFinalizer, hasFinalizer, removeFinalizer } from '@perigee/api/values/finalizers';
import { setFinalizers } from '@perigee/kube/client/set-finalizers';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
  type ReconcileResult,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound } from '@perigee/kube/errors';
import {
  ABANDON,
  ADOPTED_FROM,
  desiredTarget,
  differingFields,
} from '@perigee/scheduling/clusters/inventory/execution-target';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import type { Southbound, Southbounds } from '../southbound/southbound.ts';
import { CLUSTER_IDS, isIdentityChange, sameClusterAs, withSameId } from './same-clusters.ts';
import { readTarget, writeTarget } from './write-target.ts';

export interface ClusterRegistrationOptions {
  /** Records of other types are left to other processes. */
  readonly southbounds: Partial<Southbounds>;
}

/** Holds a record until its execution target is gone. */
const INVENTORY_FINALIZER = 'globalscheduler.com/execution-target';

/** Retry interval while the southbound cannot open a cluster. */
const RETRY_MS = 10_000;

const isAbandoned = (cluster: ClusterRecord | MemberCluster | undefined): boolean =>
  cluster?.metadata.annotations?.[ABANDON] !== undefined;

const isRecordChange = (now: ClusterRecord | undefined, before: ClusterRecord | undefined) =>
  now?.metadata.uid !== before?.metadata.uid ||
  now?.metadata.generation !== before?.metadata.generation ||
  now?.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
  isAbandoned(now) !== isAbandoned(before) ||
  !sameJson(now?.metadata.labels, before?.metadata.labels);

const partsOf = ({ metadata, spec: { taints: _, ...spec } }: MemberCluster) => [
  metadata.uid,
  metadata.labels,
  metadata.annotations,
  spec,
];

const isTargetChange = (
  now: MemberCluster | undefined,
  before: MemberCluster | undefined,
): boolean => now === undefined || before === undefined || !sameJson(partsOf(now), partsOf(before));

/** Deletes the target, and removes the finalizer of the record once the target is gone. */
const unregister = async (
  record: ClusterRecord,
  southbound: Southbound,
  context: ReconcileContext,
): Promise<undefined> => {
  if (!hasFinalizer(record, INVENTORY_FINALIZER)) return undefined;
  const { client, events, signal } = context;
  const { name, finalizers } = record.metadata;
  // Read from the server: a target that was just created may not be in the cache yet, and would leak.
  const target = await readTarget(name, context);
  if (target !== undefined) {
    const { uid, deletionTimestamp } = target.metadata;
    if (isAbandoned(record) && !isAbandoned(target)) {
      const body = { metadata: { annotations: { [ABANDON]: 'true' } } };
      await client.patch(MemberCluster, { name }, { type: 'merge', body }, { signal });
    }
    if (deletionTimestamp !== undefined) return undefined;
    await client
      .delete(MemberCluster, { name }, { preconditions: { uid }, signal })
      .catch(ignoreNotFound);
    events.normal(record, 'Unregistering', 'work is taken out of the cluster');
    return undefined;
  }
  await southbound.close?.(name);
  const nextFinalizers = removeFinalizer(finalizers, INVENTORY_FINALIZER);
  await setFinalizers(client, ClusterRecord, record, nextFinalizers, { signal });
  return undefined;
};

const register = async (
  record: ClusterRecord,
  southbound: Southbound,
  context: ReconcileContext,
): Promise<ReconcileResult> => {
  const { cache, client, events, signal } = context;
  const { name, uid, finalizers, annotations = {} } = record.metadata;
  const target = cache(MemberCluster).get({ name });
  if (target === undefined && annotations[ADOPTED_FROM] !== undefined) {
    // The target of an adopted cluster was deleted by its owner: the record follows.
    if ((await readTarget(name, context)) !== undefined) return undefined;
    await client.delete(ClusterRecord, { name }, { preconditions: { uid }, signal });
    return undefined;
  }
  const nextFinalizers = addFinalizer(finalizers, INVENTORY_FINALIZER);
  await setFinalizers(client, ClusterRecord, record, nextFinalizers, { signal });
  const endpoint = southbound.open === undefined ? {} : await southbound.open(record);
  if (endpoint === undefined) return { requeueAfterMs: RETRY_MS };
  // The name is free once the old target is gone.
  if (target?.metadata.deletionTimestamp !== undefined) return undefined;
  const sameAs = sameClusterAs(record, cache);
  const desired = desiredTarget(record, {
    ...endpoint,
    ...present({ present: target, sameAs }),
  });
  if (target !== undefined && differingFields(desired, target).length === 0) return undefined;
  await writeTarget(desired, { isOwn: record.spec.type === 'virtual' }, context);
  if (target !== undefined) return undefined;
  events.normal(
    record,
    'ExecutionTargetMade',
    `clusters.cluster.karmada.io ${name} follows from it`,
  );
  return undefined;
};

/**
 * Keeps an execution target for every record that can have one. Fields of the target that others wrote are kept.
 * Nothing is deployed in the cluster.
 */
export const clusterRegistrationController = ({
  southbounds,
}: ClusterRegistrationOptions): ControllerDefinition =>
  defineController({
    name: 'cluster-registration',
    for: ClusterRecord,
    when: isRecordChange,
    watches: [
      watch(MemberCluster, { when: isTargetChange }),
      watch(ClusterRecord, { when: isIdentityChange, map: withSameId }),
    ],
    indexes: CLUSTER_IDS,
    concurrency: 32,
    async reconcile(ref, context) {
      const record = context.cache(ClusterRecord).get(ref);
      if (record === undefined) return undefined;
      const southbound = southbounds[record.spec.type];
      if (!southbound?.keepsTargets) return undefined;
      const isGoing = record.metadata.deletionTimestamp !== undefined;
      return (isGoing ? unregister : register)(record, southbound, context);
    },
  });
