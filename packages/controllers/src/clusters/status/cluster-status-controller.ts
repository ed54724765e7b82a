import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ClusterStatus } from '@perigee/api/kinds/clusters/member-cluster-status';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import { hasFinalizer } from '@perigee/api/values/finalizers';
import type { Client } from '@perigee/kube/client/client';
import { replaceStatus } from '@perigee/kube/client/replace-status';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import {
  countedCondition,
  type Streak,
  sightedCondition,
  type Thresholds,
} from '@perigee/scheduling/clusters/health/ready-condition';
import { sameJson } from '@perigee/schema/same-json';
import type { MemberClients } from '../../members/member-clients.ts';
import { serving } from '../../placement/execution/served-clusters.ts';
import { MemberUsages } from './member-usages.ts';
import { probeMember, statusOfMember } from './probe-member.ts';

export interface ClusterStatusOptions extends Partial<Thresholds> {
  readonly members: MemberClients;
  /** Shares the node and pod counts with other controllers. */
  readonly usages?: MemberUsages;
  /** The clusters of an agent; by default all in push mode. */
  readonly clusters?: readonly string[];
  /** Interval between probes of a cluster. */
  readonly periodMs?: number;
  /** Time limit for each request to a member. */
  readonly timeoutMs?: number;
  /** Number of parallel probes; members that time out occupy a worker. */
  readonly concurrency?: number;
  /** Counts nodes and pods; without it there is no room for divided work. */
  readonly countsResources?: boolean;
}

const FIELD_MANAGER = 'perigee-cluster-status';
const FINALIZER = 'karmada.io/cluster-controller';
/** Jitter, so that clusters that joined together are not probed together for ever. */
const SPREAD = 0.1;

/** Fields whose change triggers an early probe. Taints do not, since probes cause them. */
const connectionOf = ({ metadata, spec: { taints: _, ...spec } }: MemberCluster) => [
  spec,
  hasFinalizer({ metadata }, FINALIZER),
];

const isChange = (now: MemberCluster | undefined, before: MemberCluster | undefined): boolean =>
  now === undefined || before === undefined || !sameJson(connectionOf(now), connectionOf(before));

/** Enqueues clusters whose client or count changed, and ends with the controller. */
const membersSource = (
  members: MemberClients,
  usages: MemberUsages,
  streaks: Map<string, Streak>,
): Source => ({
  kinds: [],
  start: ({ enqueue }) => {
    const stack = new DisposableStack();
    stack.use(usages.onCounted((name) => enqueue({ name })));
    stack.defer(() => {
      usages.closeAll();
      streaks.clear();
    });
    stack.use(members.onChange((name) => enqueue({ name })));
    return stack;
  },
});

/** Probes member clusters periodically and writes their status. */
export const clusterStatusController = ({
  members,
  usages = new MemberUsages(),
  clusters,
  periodMs = 10_000,
  timeoutMs = 10_000,
  successMs = 30_000,
  failureMs = 30_000,
  concurrency = 64,
  countsResources = true,
}: ClusterStatusOptions): ControllerDefinition => {
  const isServed = serving(clusters);
  // In memory only: after a restart, or a change of leader, a cluster must stay the same for the full time again.
  const streaks = new Map<string, Streak>();
  /** The last failure of each cluster, so that it is logged once and not with every probe. */
  const failures = new Map<string, string>();

  const reportFailure = (cluster: string, error: unknown, { logger }: ReconcileContext): void => {
    const why = String(error);
    if (failures.get(cluster) === why) return;
    failures.set(cluster, why);
    logger.warn('the member does not answer as it should', { cluster, error });
  };

  const probe = async (
    cluster: MemberCluster,
    client: Client | undefined,
    context: ReconcileContext,
  ): Promise<ClusterStatus> => {
    const { metadata, status = {} } = cluster;
    const { clock, signal } = context;
    let hasFailed = false;
    const onFailure = (error: unknown): void => {
      hasFailed = true;
      reportFailure(metadata.name, error, context);
    };
    const patience = { clock, timeoutMs, signal, onFailure };
    const sighting = await probeMember(client, patience, members.whyNot?.(cluster));
    const { condition, streak } = countedCondition(
      findCondition(status.conditions, 'Ready'),
      sightedCondition(sighting),
      streaks.get(metadata.name),
      { nowMs: clock.now(), successMs, failureMs },
    );
    streaks.set(metadata.name, streak);
    const isWell = sighting.kind === 'healthy' && condition.status === 'True';
    const usage =
      isWell && client !== undefined && countsResources
        ? usages.of(metadata.name, client, context)
        : undefined;
    const memberStatus =
      isWell && client !== undefined
        ? await statusOfMember(cluster, client, usage, patience)
        : status;
    if (!hasFailed) failures.delete(metadata.name);
    return {
      ...memberStatus,
      conditions: setCondition(memberStatus.conditions, condition, clock.now()),
    };
  };

  const reportUnread = (cluster: MemberCluster, { events }: ReconcileContext): void => {
    const unread = usages.unreadOf(cluster.metadata.name);
    const [first] = unread;
    if (first === undefined) return;
    const [what, why] = first;
    const others = unread.size > 1 ? `, and ${unread.size - 1} others` : '';
    events.warning(cluster, 'NotCounted', `${what} is not counted: ${why}${others}`);
  };

  return defineController({
    name: 'cluster-status',
    for: MemberCluster,
    when: isChange,
    concurrency,
    watches: [membersSource(members, usages, streaks)],
    async reconcile(ref, context) {
      const { cache, client, clock, signal } = context;
      const cluster = cache(MemberCluster).get(ref);
      if (cluster === undefined || !isServed(cluster)) {
        usages.close(ref.name);
        streaks.delete(ref.name);
        failures.delete(ref.name);
        return undefined;
      }
      if (!hasFinalizer(cluster, FINALIZER)) return undefined;
      const startedAt = clock.monotonic();
      const status = await probe(cluster, members.clientFor(cluster), context);
      reportUnread(cluster, context);
      const options = { fieldManager: FIELD_MANAGER, signal };
      await replaceStatus(client, MemberCluster, cluster, status, options);
      const spreadMs = periodMs * (1 + SPREAD * (clock.random() - 0.5));
      const leftMs = spreadMs - (clock.monotonic() - startedAt);
      return { requeueAfterMs: Math.max(leftMs, periodMs / 10) };
    },
  });
};
