import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import {
  type ControllerDefinition,
  defineController,
  type ReconcileContext,
} from '@perigee/kube/controller/define-controller';
import type { Source } from '@perigee/kube/controller/source';
import { Manager } from '@perigee/kube/manager/manager';
import type { MemberClients } from '../members/member-clients.ts';
import { serving } from '../placement/execution/served-clusters.ts';
import { podGroupControllers } from './pod-group-controllers.ts';
import { volcanoMakesGroups } from './volcano-makes-groups.ts';

export interface MemberGroupsOptions {
  readonly members: MemberClients;
  readonly clock: Clock;
  /** The clusters of an agent; by default all in push mode. */
  readonly clusters?: readonly string[];
}

/**
 * Annotation on a Cluster: `enabled` lets this process assign its pods to groups, `always` even beside Volcano's
 * controllers with the PodGroup controller off. Virtual members do it themselves.
 */
const POD_GROUPS = 'groups.perigee.io/pod-groups';

const START_MS = 60_000;
const ASK_AGAIN_MS = 60_000;

interface Running {
  readonly client: Client;
  readonly manager: Manager;
}

const modeOf = ({ metadata }: MemberCluster): 'enabled' | 'always' | undefined => {
  const mode = metadata.annotations?.[POD_GROUPS];
  if (metadata.deletionTimestamp !== undefined) return undefined;
  return mode === 'enabled' || mode === 'always' ? mode : undefined;
};

/** The reason why groups cannot be created in a cluster. */
const hindrance = async (
  client: Client,
  cluster: MemberCluster,
  { clock, signal }: ReconcileContext,
): Promise<string | undefined> => {
  const kinds = await client.discover({ signal });
  if (!kinds.some(({ group, plural }) => group === PodGroup.group && plural === PodGroup.plural)) {
    return 'the cluster does not know PodGroups: install the CustomResourceDefinition of scheduling.volcano.sh';
  }
  if (modeOf(cluster) === 'enabled' && (await volcanoMakesGroups(client, clock, { signal }))) {
    return `Volcano’s own controllers run there and make PodGroups: start them with --controllers=*,-pg-controller, and then annotate with ${POD_GROUPS}=always`;
  }
  return undefined;
};

/** Runs the PodGroup controllers for members that ask for it, through any kind of client. */
export const memberGroupsController = ({
  members,
  clock,
  clusters,
}: MemberGroupsOptions): ControllerDefinition => {
  const isServed = serving(clusters);
  const managers = new Map<string, Running>();
  const stop = async (name: string): Promise<void> => {
    const entry = managers.get(name);
    managers.delete(name);
    await entry?.manager[Symbol.asyncDispose]();
  };
  const memberWatch: Source = {
    kinds: [],
    start: ({ enqueue }) => {
      const stack = new DisposableStack();
      stack.use(members.onChange((name) => enqueue({ name })));
      // After a change of leader, the new one runs them.
      stack.defer(() => {
        for (const name of managers.keys()) void stop(name);
      });
      return stack;
    },
  };
  return defineController({
    name: 'member-pod-groups',
    for: MemberCluster,
    when: (now, before) =>
      now === undefined || before === undefined || modeOf(now) !== modeOf(before),
    concurrency: 8,
    watches: [memberWatch],
    async reconcile({ name }, context) {
      const cluster = context.cache(MemberCluster).get({ name });
      const isOurs = cluster !== undefined && isServed(cluster) && modeOf(cluster) !== undefined;
      const client = isOurs ? members.clientFor(cluster) : undefined;
      if (cluster === undefined || client === undefined) return void (await stop(name));
      if (managers.get(name)?.client === client) return undefined;
      await stop(name);
      const why = await hindrance(client, cluster, context);
      if (why !== undefined) {
        context.events.warning(cluster, 'PodGroupsRefused', why);
        return { requeueAfterMs: ASK_AGAIN_MS };
      }
      const { logger, signal } = context;
      const controllers = podGroupControllers({ client, clock });
      const manager = new Manager({ client, clock, logger, controllers, identity: name });
      managers.set(name, { client, manager });
      using deadline = deadlineAfter(clock, START_MS, signal);
      try {
        await manager.start(deadline.signal);
      } catch (error) {
        await stop(name);
        throw error;
      }
      return undefined;
    },
  });
};
