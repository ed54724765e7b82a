import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { watch } from '@perigee/kube/controller/watch';
import { Lease } from '@perigee/kubernetes/coordination/lease';
import { conditionTaints } from '@perigee/scheduling/clusters/health/condition-taints';
import {
  type Heartbeat,
  type HeartbeatLimits,
  heartbeatAfter,
  silenceLeftMs,
  silentCondition,
} from '@perigee/scheduling/clusters/health/heartbeat';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { parseTime } from '@perigee/schema/values/time';
import { LEASE_NAMESPACE } from '../status/cluster-lease-controller.ts';
import { writeTaints } from './write-taints.ts';

export type ClusterHealthOptions = Partial<HeartbeatLimits>;

const FIELD_MANAGER = 'perigee-cluster-health';

const readyOf = ({ status }: MemberCluster) => findCondition(status?.conditions, 'Ready');

const isChange = (now: MemberCluster | undefined, before: MemberCluster | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.spec.syncMode !== before.spec.syncMode ||
  !sameJson(now.spec.taints, before.spec.taints) ||
  !sameJson(readyOf(now), readyOf(before));

const messageOf = (_: string, taints: string): string => `Taint cluster succeed: ${taints}.`;

/** Sets Ready to Unknown. */
const writeSilence = async (
  cluster: MemberCluster,
  { client, clock, signal }: ReconcileContext,
): Promise<void> => {
  const { conditions: before } = cluster.status ?? {};
  const silence = silentCondition(findCondition(before, 'Ready'));
  const conditions = setCondition(before, silence, clock.now());
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, MemberCluster, cluster, { conditions }, options);
};

/**
 * Taints clusters that are not ready, and sets Ready to Unknown when the agent of a cluster in pull mode stops
 * renewing its lease.
 */
export const clusterHealthController = ({
  graceMs = 40_000,
  startupGraceMs = 60_000,
}: ClusterHealthOptions = {}): ControllerDefinition => {
  // In memory only: after a restart every agent gets the full grace period again.
  const heartbeats = new Map<string, Heartbeat>();

  const silenceLeft = (cluster: MemberCluster, { cache, clock }: ReconcileContext): number => {
    const { name, creationTimestamp } = cluster.metadata;
    const lease = cache(Lease).get({ namespace: LEASE_NAMESPACE, name });
    const ready = readyOf(cluster);
    const heartbeat = heartbeatAfter(
      heartbeats.get(name),
      { renewTime: lease?.spec?.renewTime ?? '', ...present({ ready }) },
      { nowMs: clock.now(), createdMs: parseTime(creationTimestamp) },
    );
    heartbeats.set(name, heartbeat);
    return silenceLeftMs(heartbeat, clock.now(), { graceMs, startupGraceMs });
  };

  return defineController({
    name: 'cluster-health',
    for: MemberCluster,
    concurrency: 32,
    when: isChange,
    watches: [
      watch(Lease, {
        map: ({ metadata }) => [{ name: metadata.name }],
        when: (now, before) =>
          (now ?? before)?.metadata.namespace === LEASE_NAMESPACE &&
          now?.spec?.renewTime !== before?.spec?.renewTime,
      }),
    ],
    async reconcile(ref, context) {
      const cluster = context.cache(MemberCluster).get(ref);
      if (cluster === undefined || cluster.metadata.deletionTimestamp !== undefined) {
        heartbeats.delete(ref.name);
        return undefined;
      }
      const before = cluster.spec.taints ?? [];
      const taints = conditionTaints(before, readyOf(cluster)?.status, context.clock.now());
      await writeTaints(cluster, taints, { fieldManager: FIELD_MANAGER, messageOf }, context);
      if (cluster.spec.syncMode !== 'Pull') return undefined;
      const leftMs = silenceLeft(cluster, context);
      if (readyOf(cluster)?.status === 'Unknown') return undefined;
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await writeSilence(cluster, context);
      return undefined;
    },
  });
};
