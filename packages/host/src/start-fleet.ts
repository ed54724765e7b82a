import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { clusterRegistrationController } from '@perigee/controllers/clusters/inventory/cluster-registration-controller';
import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import { virtualSouthbound } from '@perigee/controllers/clusters/southbound/virtual-southbound';
import { openControllers } from '@perigee/controllers/open-controllers';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import { isConflict } from '@perigee/kube/errors';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import {
  MEMBER_FAULTS,
  memberFaultsController,
} from '@perigee/member/faults/member-faults-controller';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import type { MoverSettings } from '@perigee/scheduling/flows/render-mover-job';
import { present } from '@perigee/schema/present';
import type { PlannedMember } from './members/member-plan.ts';
import { VirtualMembers, type VirtualMembersOptions } from './members/virtual-members.ts';
import type { Progress } from './progress.ts';

const FIELD_MANAGER = 'perigee-up';

/** Applies the records of the members that `perigee up` brings along. Fields that users changed stay theirs. */
const registerMembers = async (
  client: Client,
  members: readonly PlannedMember[],
): Promise<void> => {
  for (const { metadata, spec } of members) {
    const body = { apiVersion: 'globalscheduler.com/v1', kind: 'Cluster', metadata, spec };
    try {
      const patch = { type: 'apply', body, fieldManager: FIELD_MANAGER } as const;
      await client.patch(ClusterRecord, { name: metadata.name }, patch);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
};

export interface FleetOptions {
  readonly server: EmbeddedServer;
  /** Virtual members to register, beside those already in the inventory. */
  readonly members: readonly PlannedMember[];
  readonly processesOf?: VirtualMembersOptions['processesOf'];
  /** The names of the controllers to run; when empty, other processes run them. */
  readonly chosenControllers: ReadonlySet<string>;
  /** The strategy that shares out clusters among Schedulers, if there are any. */
  readonly sharding?: ShardingName;
  /** Lets queues reclaim capacity that others use beyond their deserved share. */
  readonly isPreempting?: boolean;
  /**
   * Once the head of a queue has waited this long, smaller work no longer passes it; five minutes by
   * default.
   */
  readonly reserveAfterMs?: number;
  /** Absent when another program runs the Scheduler processes. */
  readonly processes?: SchedulerProcesses;
  /** Settings for copying data in data operations. */
  readonly mover?: Partial<MoverSettings>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each step of the start, so that a CLI can show it. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The reporting instance in events. A constant suffices: no second process shares this server. */
const IDENTITY = 'perigee';

/** Starts the members of a control plane and the chosen controllers. */
export const startFleet = async (options: FleetOptions): Promise<AsyncDisposable> => {
  const { server, members, clock, logger, chosenControllers, onProgress = () => {} } = options;
  const {
    processesOf = () => undefined,
    isPreempting = false,
    reserveAfterMs,
    sharding,
    processes,
    mover,
  } = options;
  const { client } = server;
  await using stack = new AsyncDisposableStack();
  onProgress({ step: 'members', count: members.length });
  await registerMembers(client, members);
  const isForOthers = chosenControllers.size === 0;
  const host = stack.use(new VirtualMembers({ server, clock, logger, isForOthers, processesOf }));
  onProgress({ step: 'controllers' });
  const common = { client, clock, logger };
  const { clients } = host;
  const own = isForOthers
    ? [
        clusterRegistrationController({
          southbounds: { virtual: virtualSouthbound({ host, clock, members: clients }) },
        }),
      ]
    : stack.use(
        openControllers({
          ...common,
          metrics: server.metrics,
          chosenControllers,
          hosted: clients,
          virtualHost: host,
          ...present({ sharding }),
          isPreempting,
          ...present({ reserveAfterMs, processes, mover }),
        }),
      ).controllers;
  const faults =
    isForOthers || chosenControllers.has(MEMBER_FAULTS)
      ? [memberFaultsController((name) => host.find(name))]
      : [];
  const manager = stack.use(
    new Manager({
      ...common,
      controllers: [...own, ...faults],
      identity: IDENTITY,
      metrics: server.metrics,
      troubles: server.troubles,
    }),
  );
  await manager.start();
  const resources = stack.move();
  return { [Symbol.asyncDispose]: () => resources.disposeAsync() };
};
