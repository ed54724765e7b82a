import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { clusterRegistrationController } from '@perigee/controllers/clusters/inventory/cluster-registration-controller';
import type { ShardingControllersOptions } from '@perigee/controllers/clusters/sharding/sharding-controllers';
import { virtualSouthbound } from '@perigee/controllers/clusters/southbound/virtual-southbound';
import { openPlacement } from '@perigee/controllers/placement/placement-controllers';
import type { Clock } from '@perigee/kube/clock/clock';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import { memberFaultsController } from '@perigee/member/faults/member-faults-controller';
import type { PlannedMember } from './member-plan.ts';
import { registerMembers } from './register-members.ts';
import { VirtualMembers, type VirtualMembersOptions } from './virtual-members.ts';

export interface FleetOptions {
  readonly server: EmbeddedServer;
  /** The members to have, beside those that are in the inventory already. */
  readonly members: readonly PlannedMember[];
  readonly processesOf?: VirtualMembersOptions['processesOf'];
  /** Which controllers of the control plane run, such as `*,-scheduler`; none when empty. */
  readonly controllers: string;
  /** How Schedulers share the work; without it the scheduler that is built in does all of it. */
  readonly schedulers?: ShardingControllersOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told what is done, for whoever waits. */
  readonly onProgress?: (text: string) => void;
}

/** In events; there is no other process that it would have to be told apart from. */
const IDENTITY = 'perigee';

/** Whether the controllers of the control plane are left to other processes. */
export const isWithout = ({ controllers }: Pick<FleetOptions, 'controllers'>): boolean =>
  controllers === '';

/** Starts the members of a control plane, and all controllers. */
export const startFleet = async (options: FleetOptions): Promise<AsyncDisposable> => {
  const { server, members, clock, logger, onProgress = () => {} } = options;
  const { processesOf = () => undefined, schedulers: sharding } = options;
  const { client } = server;
  await using stack = new AsyncDisposableStack();
  onProgress(`registering ${members.length} member clusters`);
  await registerMembers(client, members);
  const isForOthers = isWithout(options);
  const host = stack.use(new VirtualMembers({ server, clock, logger, isForOthers, processesOf }));
  onProgress('starting the controllers');
  const faults = memberFaultsController((name) => host.find(name));
  const common = { client, clock, logger };
  const { clients } = host;
  const own = isForOthers
    ? [
        clusterRegistrationController({
          southbounds: { virtual: virtualSouthbound({ host, clock, members: clients }) },
        }),
      ]
    : stack.use(
        openPlacement({
          ...common,
          hosted: clients,
          virtualHost: host,
          ...(sharding && { sharding }),
        }),
      ).controllers;
  const manager = stack.use(
    new Manager({
      ...common,
      controllers: [...own, faults],
      select: isForOthers ? '*' : options.controllers,
      identity: IDENTITY,
      metrics: server.metrics,
      troubles: server.troubles,
    }),
  );
  await manager.start();
  const running = stack.move();
  return { [Symbol.asyncDispose]: () => running.disposeAsync() };
};
