import type { EmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { InProcessMembers } from '@perigee/controllers/members/member-clients';
import { openPlacement } from '@perigee/controllers/placement-controllers';
import type { ShardingControllersOptions } from '@perigee/controllers/sharding-controllers';
import type { Clock } from '@perigee/kube/clock/clock';
import { Manager } from '@perigee/kube/manager/manager';
import type { Logger } from '@perigee/kube/observe/logger';
import {
  type HostedMember,
  memberFaultsController,
} from '@perigee/member/faults/member-faults-controller';
import { hostMember } from './host-member.ts';
import type { MemberPlan } from './member-plan.ts';

export interface FleetOptions {
  readonly server: EmbeddedServer;
  readonly members: readonly MemberPlan[];
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
  const { client } = server;
  await using stack = new AsyncDisposableStack();
  onProgress(`starting ${members.length} member clusters`);
  const hosted = new Map<string, HostedMember>();
  for (const plan of members) {
    const host = { server, clock, logger, isForOthers: isWithout(options) };
    hosted.set(plan.name, stack.use(await hostMember(plan, host)));
  }
  onProgress('starting the controllers');
  const near = new InProcessMembers(({ metadata }) => hosted.get(metadata.name)?.faulty.client);
  const faults = memberFaultsController(hosted);
  const { schedulers } = options;
  const sharding = schedulers === undefined ? {} : { sharding: schedulers };
  const placement = isWithout(options)
    ? []
    : stack.use(openPlacement({ client, clock, logger, hosted: near, ...sharding })).controllers;
  const manager = stack.use(
    new Manager({
      client,
      clock,
      logger,
      controllers: [...placement, faults],
      select: isWithout(options) ? faults.name : options.controllers,
      identity: IDENTITY,
    }),
  );
  await manager.start();
  const running = stack.move();
  return { [Symbol.asyncDispose]: () => running.disposeAsync() };
};
