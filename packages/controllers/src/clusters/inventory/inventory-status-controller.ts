import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition } from '@perigee/api/values/conditions';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { watch } from '@perigee/kube/controller/watch';
import { ignoreNotFound, isInvalid } from '@perigee/kube/errors';
import {
  desiredTarget,
  isPlaceable,
} from '@perigee/scheduling/clusters/inventory/execution-target';
import {
  type InventoryStatus,
  identityIn,
  inventoryPart,
  recordStatus,
  withoutAmounts,
} from '@perigee/scheduling/clusters/inventory/record-status';
import { UNIQUE } from '@perigee/scheduling/clusters/inventory/same-cluster';
import { writeDueInMs } from '@perigee/scheduling/clusters/inventory/write-due';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import type { Southbounds } from '../southbound/southbound.ts';
import { Probes, type ProbeTimes } from './probes.ts';
import { CLUSTER_IDS, isIdentityChange, sameClusterAs, withSameId } from './same-clusters.ts';
import { FIELD_MANAGER } from './write-target.ts';

export interface InventoryStatusOptions extends Partial<ProbeTimes> {
  readonly southbounds: Southbounds;
  /** Minimum interval between writes of a cluster's amounts, which change with every pod. */
  readonly amountsEveryMs?: number;
}

const readyOf = (target: MemberCluster | undefined) =>
  findCondition(target?.status?.conditions, 'Ready');

const isRecordChange = (now: ClusterRecord | undefined, before: ClusterRecord | undefined) =>
  now === undefined ||
  now.metadata.uid !== before?.metadata.uid ||
  now.metadata.generation !== before.metadata.generation ||
  now.metadata.deletionTimestamp !== before.metadata.deletionTimestamp;

const partsOf = (target: MemberCluster | undefined) => [
  target?.metadata.uid,
  target?.metadata.labels,
  target?.metadata.annotations,
  target?.metadata.generation,
  readyOf(target),
  findCondition(target?.status?.conditions, 'Drained'),
  target?.status?.resourceSummary?.allocatable,
  target?.status?.resourceSummary?.allocated,
];

/** Enqueues a cluster when its southbound reports a change, and clears all state at the end. */
const southboundSource = (southbounds: Southbounds, changed: (name: string) => void): Source => ({
  kinds: [],
  start: ({ enqueue }) => {
    const stack = new DisposableStack();
    for (const southbound of Object.values(southbounds)) {
      stack.use(
        southbound.onChange((name) => {
          changed(name);
          enqueue({ name });
        }),
      );
    }
    return stack;
  },
});

const circumstances = ({ metadata }: ClusterRecord, target: MemberCluster | undefined) => [
  metadata.uid,
  metadata.generation,
  target?.metadata.uid,
  target?.spec.syncMode,
  readyOf(target)?.status,
  readyOf(target)?.reason,
];

const applyStatus = async (
  { metadata: { name, uid } }: ClusterRecord,
  status: InventoryStatus,
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const body = {
    apiVersion: 'globalscheduler.com/v1',
    kind: 'Cluster',
    metadata: { name, uid },
    status,
  };
  const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER, force: true } as const;
  await client
    .patch(ClusterRecord, { name }, patch, { subresource: 'status', signal })
    .catch(ignoreNotFound);
};

const writeStatus = async (
  record: ClusterRecord,
  status: InventoryStatus,
  context: ReconcileContext,
): Promise<void> => {
  try {
    await applyStatus(record, status, context);
  } catch (error) {
    if (!isInvalid(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const nowMs = context.clock.now();
    await applyStatus(record, withoutAmounts(status, record, { why, nowMs }), context);
  }
};

const reportSame = (
  record: ClusterRecord,
  { conditions }: InventoryStatus,
  { events }: ReconcileContext,
): void => {
  const now = findCondition(conditions, UNIQUE);
  if (now === undefined || findCondition(record.status?.conditions, UNIQUE) !== undefined) return;
  events.warning(record, 'SameCluster', now.message);
};

/** Writes the health and the capacity of every cluster to its record. */
export const inventoryStatusController = ({
  southbounds,
  probeEveryMs = 300_000,
  retryMs = 10_000,
  amountsEveryMs = 30_000,
}: InventoryStatusOptions): ControllerDefinition => {
  const probes = new Probes({ probeEveryMs, retryMs });

  const observe = async (
    record: ClusterRecord,
    target: MemberCluster | undefined,
    { cache, clock, signal }: ReconcileContext,
  ): Promise<InventoryStatus> => {
    const { type } = record.spec;
    const finding = await probes.finding(
      record.metadata.name,
      circumstances(record, target),
      clock,
      () => southbounds[type].probe(record, target, { signal }),
    );
    // Only the host of a virtual member knows its address; it publishes it in the target.
    const { apiEndpoint, secretRef } = (type === 'virtual' && target?.spec) || {};
    const baseFacts = { record, finding, ...present({ target }) };
    const sameAs = sameClusterAs(record, cache, identityIn(baseFacts));
    const facts = present({
      sameAs,
      apiEndpoint: apiEndpoint || undefined,
      secretRef,
      present: target,
    });
    return recordStatus({
      ...baseFacts,
      nowMs: clock.now(),
      ...present({
        sameAs,
        desired: isPlaceable(record) ? desiredTarget(record, facts) : undefined,
      }),
    });
  };

  return defineController({
    name: 'cluster-inventory',
    for: ClusterRecord,
    when: isRecordChange,
    watches: [
      watch(MemberCluster, {
        when: (now, before) => !sameJson(partsOf(now), partsOf(before)),
      }),
      watch(ClusterRecord, { when: isIdentityChange, map: withSameId }),
      southboundSource(southbounds, (name) => probes.changed(name)),
    ],
    indexes: CLUSTER_IDS,
    concurrency: 64,
    async reconcile(ref, context) {
      const { cache, clock } = context;
      const record = cache(ClusterRecord).get(ref);
      if (record === undefined) {
        probes.forget(ref.name);
        for (const southbound of Object.values(southbounds)) southbound.forget?.(ref.name);
        return undefined;
      }
      const target = isPlaceable(record) ? cache(MemberCluster).get(ref) : undefined;
      const status = await observe(record, target, context);
      const dueMs = writeDueInMs(inventoryPart(record), status, {
        nowMs: clock.now(),
        amountsEveryMs,
        seenEveryMs: probeEveryMs / 2,
      });
      if (dueMs === 0) {
        await writeStatus(record, status, context);
        reportSame(record, status, context);
      }
      const nextMs = Math.min(probes.leftMs(ref.name, clock), dueMs || Number.POSITIVE_INFINITY);
      return { requeueAfterMs: nextMs };
    },
  });
};
