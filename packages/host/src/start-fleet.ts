import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { clusterRegistrationController } from '@perigee/controllers/clusters/inventory/cluster-registration-controller';
import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import { virtualSouthbound } from '@perigee/controllers/clusters/southbound/virtual-southbound';
import { openControllers } from '@perigee/controllers/open-controllers';
import type { Clock } from '@perigee/kube/clock/clock';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import {
  MEMBER_FAULTS,
  memberFaultsController,
} from '@perigee/member/faults/member-faults-controller';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import type { MoverSettings } from '@perigee/scheduling/flows/render-mover-job';
import type { PlannedMember } from './members/member-plan.ts';
import { registerMembers } from './members/register-members.ts';
import { VirtualMembers, type VirtualMembersOptions } from './members/virtual-members.ts';
import type { Progress } from './progress.ts';

export interface FleetOptions {
  readonly server: EmbeddedServer;
  /** The members to have, beside those that are in the inventory already. */
  readonly members: readonly PlannedMember[];
  readonly processesOf?: VirtualMembersOptions['processesOf'];
  /** The controllers that run, by name; when there are none, they are left to other processes. */
  readonly chosen: ReadonlySet<string>;
  /** How Schedulers, if there are any, share the clusters out. */
  readonly sharding?: ShardingName;
  /** Whether queues take back what others use beyond what they deserve. */
  readonly isPreempting?: boolean;
  /** After which time small work does not pass the first of a queue any more; five minutes unless given. */
  readonly reserveAfterMs?: number;
  /** Absent when somebody else runs the processes of Schedulers. */
  readonly processes?: SchedulerProcesses;
  /** How data operations copy data. */
  readonly mover?: Partial<MoverSettings>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told what is done, for whoever waits. */
  readonly onProgress?: (progress: Progress) => void;
}

/** In events; there is no other process that it would have to be told apart from. */
const IDENTITY = 'perigee';

/** Starts the members of a control plane, and all controllers. */
export const startFleet = async (options: FleetOptions): Promise<AsyncDisposable> => {
  const { server, members, clock, logger, chosen, onProgress = () => {} } = options;
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
  const isForOthers = chosen.size === 0;
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
          chosen,
          hosted: clients,
          virtualHost: host,
          ...(sharding && { sharding }),
          isPreempting,
          ...(reserveAfterMs !== undefined && { reserveAfterMs }),
          ...(processes && { processes }),
          ...(mover && { mover }),
        }),
      ).controllers;
  const faults =
    isForOthers || chosen.has(MEMBER_FAULTS)
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
  const running = stack.move();
  return { [Symbol.asyncDispose]: () => running.disposeAsync() };
};
