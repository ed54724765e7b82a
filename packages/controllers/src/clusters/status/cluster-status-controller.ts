import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { ClusterStatus } from '@perigee/api/kinds/clusters/member-cluster-status';
import { sameJson } from '@perigee/api/schema/validate/same-json';
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
import type { MemberClients } from '../../members/member-clients.ts';
import { serving } from '../../placement/execution/served-clusters.ts';
import { lookAtMember, statusOfMember } from './look-at-member.ts';
import { MemberUsages } from './member-usages.ts';

export interface ClusterStatusOptions extends Partial<Thresholds> {
  readonly members: MemberClients;
  /** Where the counts of members are kept, for others who want to know them. */
  readonly usages?: MemberUsages;
  /** The clusters to look at; all that are pushed to, unless given. An agent names its own. */
  readonly clusters?: readonly string[];
  /** How often each cluster is looked at. */
  readonly periodMs?: number;
  /** How long a member may take to answer. */
  readonly timeoutMs?: number;
  /** How many clusters are looked at at the same time; those that do not answer hold up the others. */
  readonly concurrency?: number;
  /** Whether nodes and pods are counted; without it there is no room for divided work. */
  readonly countsResources?: boolean;
}

const FIELD_MANAGER = 'perigee-cluster-status';
const FINALIZER = 'karmada.io/cluster-controller';
/** Clusters that joined together must not be looked at together for ever. */
const SPREAD = 0.1;

/** What makes a look worthwhile before its time. Taints come and go because of the looks themselves. */
const wayOf = ({ metadata, spec: { taints: _, ...spec } }: MemberCluster) => [
  spec,
  hasFinalizer({ metadata }, FINALIZER),
];

const isNews = (now: MemberCluster | undefined, before: MemberCluster | undefined): boolean =>
  now === undefined || before === undefined || !sameJson(wayOf(now), wayOf(before));

/** Ends with the controller, and asks for a look when there is more to see. */
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

/** Looks at member clusters, again and again, and writes down what it sees. */
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
  // Lost with the process, or the lease: a cluster then has to look the same for the whole time once more.
  const streaks = new Map<string, Streak>();
  /** Why the last look failed: it is told once, and not with every look. */
  const failures = new Map<string, string>();

  const tellFailure = (cluster: string, error: unknown, { logger }: ReconcileContext): void => {
    const why = String(error);
    if (failures.get(cluster) === why) return;
    failures.set(cluster, why);
    logger.warn('the member does not answer as it should', { cluster, error });
  };

  const look = async (
    cluster: MemberCluster,
    client: Client | undefined,
    context: ReconcileContext,
  ): Promise<ClusterStatus> => {
    const { metadata, status = {} } = cluster;
    const { clock, signal } = context;
    let hasFailed = false;
    const onFailure = (error: unknown): void => {
      hasFailed = true;
      tellFailure(metadata.name, error, context);
    };
    const patience = { clock, timeoutMs, signal, onFailure };
    const sighting = await lookAtMember(client, patience, members.whyNot?.(cluster));
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
    const seen =
      isWell && client !== undefined
        ? await statusOfMember(cluster, client, usage, patience)
        : status;
    if (!hasFailed) failures.delete(metadata.name);
    return { ...seen, conditions: setCondition(seen.conditions, condition, clock.now()) };
  };

  const tellUnread = (cluster: MemberCluster, { events }: ReconcileContext): void => {
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
    when: isNews,
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
      const status = await look(cluster, members.clientFor(cluster), context);
      tellUnread(cluster, context);
      const options = { fieldManager: FIELD_MANAGER, signal };
      await replaceStatus(client, MemberCluster, cluster, status, options);
      const spreadMs = periodMs * (1 + SPREAD * (clock.random() - 0.5));
      const leftMs = spreadMs - (clock.monotonic() - startedAt);
      return { requeueAfterMs: Math.max(leftMs, periodMs / 10) };
    },
  });
};
