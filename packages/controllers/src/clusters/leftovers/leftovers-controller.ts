import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { Work } from '@perigee/api/kinds/placement/work';
import { findCondition, removeCondition, setCondition } from '@perigee/api/values/conditions';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import { isGoing } from '@perigee/scheduling/clusters/lifecycle/going-cluster';
import { type Leftover, leftoversCondition } from '@perigee/scheduling/placement/work/leftovers';
import type { MemberClients } from '../../members/member-clients.ts';
import { isReady, serving } from '../../placement/execution/served-clusters.ts';
import { findLeftovers } from './find-leftovers.ts';

export interface LeftoversOptions {
  readonly members: MemberClients;
  /** The clusters of an agent; by default all in push mode. */
  readonly clusters?: readonly string[];
  /** Delay after Ready, to give the controllers time to create the Works. */
  readonly afterMs?: number;
  /** Interval between searches while there are leftovers. */
  readonly againMs?: number;
}

const FIELD_MANAGER = 'perigee-leftovers';
const TYPE = 'Leftovers';
/** Time limit for the listing of all kinds in a member. */
const TIMEOUT_MS = 120_000;

const isChange = (now: MemberCluster | undefined, before: MemberCluster | undefined): boolean =>
  now === undefined ||
  before === undefined ||
  now.metadata.uid !== before.metadata.uid ||
  isReady(now) !== isReady(before);

const write = async (
  cluster: MemberCluster,
  leftovers: readonly Leftover[],
  { client, clock, events, signal }: ReconcileContext,
): Promise<void> => {
  const { metadata, status } = cluster;
  const before = status?.conditions ?? [];
  const condition = leftoversCondition(leftovers, metadata.name);
  const conditions =
    leftovers.length === 0
      ? removeCondition(before, TYPE)
      : setCondition(before, condition, clock.now());
  if (conditions === before) return;
  const options = { fieldManager: FIELD_MANAGER, signal };
  await patchStatus(client, MemberCluster, cluster, { conditions }, options);
  if (leftovers.length > 0 && findCondition(before, TYPE) === undefined) {
    events.warning(cluster, 'ObjectsLeft', condition.message);
  }
};

/**
 * Finds the leftovers of an earlier registration: searches a cluster once when it becomes ready, reports the
 * objects that no Work names, and searches again as long as there are any.
 */
export const leftoversController = ({
  members,
  clusters,
  afterMs = 15_000,
  againMs = 600_000,
}: LeftoversOptions): ControllerDefinition => {
  const isServed = serving(clusters);
  // In memory only: after a restart every cluster is searched once more.
  const due = new Map<string, { readonly uid: string; readonly atMs: number }>();
  return defineController({
    name: 'leftovers',
    for: MemberCluster,
    when: isChange,
    concurrency: 8,
    reads: [Work],
    async reconcile(ref, context) {
      const { cache, clock } = context;
      const cluster = cache(MemberCluster).get(ref);
      if (cluster === undefined) due.delete(ref.name);
      if (cluster === undefined || isGoing(cluster)) return undefined;
      if (!isServed(cluster) || !isReady(cluster)) return undefined;
      const { name, uid } = cluster.metadata;
      const last = due.get(name);
      const { atMs } = last?.uid === uid ? last : { atMs: clock.monotonic() + afterMs };
      due.set(name, { uid, atMs });
      if (atMs > clock.monotonic()) return { requeueAfterMs: Math.ceil(atMs - clock.monotonic()) };
      const client = members.clientFor(cluster);
      if (client === undefined) return undefined;
      using deadline = deadlineAfter(clock, TIMEOUT_MS, context.signal);
      const { signal } = deadline;
      const hasWork = (work: { readonly namespace: string; readonly name: string }) =>
        cache(Work).get(work) !== undefined;
      const leftovers = await findLeftovers(client, name, hasWork, { signal });
      due.set(name, { uid, atMs: clock.monotonic() + againMs });
      await write(cluster, leftovers, context);
      return leftovers.length === 0 ? undefined : { requeueAfterMs: againMs };
    },
  });
};
