import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Logger } from '@perigee/kube/observe/logger';
import type { Metrics } from '@perigee/kube/observe/metrics';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { type MoverSettings, USUAL_MOVER } from '@perigee/scheduling/flows/render-mover-job';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import { RESERVE_AFTER_MS } from '@perigee/scheduling/queues/overdue';
import { present } from '@perigee/schema/present';
import { CONTROLLERS, type ControllerParts } from './all-controllers.ts';
import type { SchedulerProcesses } from './clusters/scheduler-lifecycle/scheduler-processes.ts';
import { kubernetesSouthbound } from './clusters/southbound/kubernetes-southbound.ts';
import { OpenStackSouthbound } from './clusters/southbound/openstack/openstack-southbound.ts';
import type { VirtualHost } from './clusters/southbound/virtual-host.ts';
import { virtualElsewhere, virtualSouthbound } from './clusters/southbound/virtual-southbound.ts';
import { MemberUsages } from './clusters/status/member-usages.ts';
import { Provisioners } from './data/provision/provisioners.ts';
import { CustomisedInterpreter } from './interpreters/customised-interpreter.ts';
import { HttpMembers } from './members/http-members.ts';
import { firstOf, type MemberClients } from './members/member-clients.ts';
import { MemberInformers } from './members/member-informers.ts';

export interface OpenControllersOptions {
  /** The control plane. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Registry for the controllers' own metrics. */
  readonly metrics?: Metrics;
  /** The names of the controllers to create. Names that are not among `CONTROLLERS` are ignored. */
  readonly chosenControllers: ReadonlySet<string>;
  /** Members that live in this process; all others are reached over the network. */
  readonly hosted?: MemberClients;
  /** Makes members of the type `virtual`; without it they are left to another process. */
  readonly virtualHost?: VirtualHost;
  /** The sharding of clusters among Schedulers; sticky-geo by default. */
  readonly sharding?: ShardingName;
  /** True if queues reclaim usage beyond what others deserve; off by default. */
  readonly isPreempting?: boolean;
  /** The wait of the first in a queue after which smaller work may not pass it; five minutes by default. */
  readonly reserveAfterMs?: number;
  /** Absent when another program runs the processes of Schedulers. */
  readonly processes?: SchedulerProcesses;
  /** Settings for copying data; only between claims by default. */
  readonly mover?: Partial<MoverSettings>;
}

/** Controllers, and their shared resources. */
export interface OpenControllers extends AsyncDisposable {
  readonly controllers: readonly ControllerDefinition[];
}

/** Makes the chosen controllers of a control plane. */
export const openControllers = ({
  client,
  clock,
  logger,
  metrics,
  chosenControllers,
  hosted,
  virtualHost: host,
  sharding = 'sticky-geo',
  isPreempting = false,
  reserveAfterMs = RESERVE_AFTER_MS,
  processes,
  mover,
}: OpenControllersOptions): OpenControllers => {
  const stack = new AsyncDisposableStack();
  const remote = stack.use(new HttpMembers({ client, clock, logger }));
  const members = hosted === undefined ? remote : firstOf(hosted, remote);
  const builtInInterpreter = createInterpreter([...nativeKinds, ...frameworkKinds]);
  const reached = { client, clock, members };
  const kubernetes = kubernetesSouthbound(reached);
  const parts: ControllerParts = {
    client,
    clock,
    memberClients: members,
    memberInformers: stack.use(new MemberInformers({ members, clock })),
    memberUsages: new MemberUsages(),
    interpreter: stack.use(new CustomisedInterpreter(builtInInterpreter, { client, clock })),
    southbounds: {
      kubernetes,
      virtual:
        host === undefined ? virtualElsewhere(kubernetes) : virtualSouthbound({ ...reached, host }),
      openstack: stack.use(new OpenStackSouthbound({ client, clock })),
    },
    provisioners: stack.use(new Provisioners({ client, clock, ...present({ metrics }) })),
    pacer: new EvictionPacer(),
    sharding,
    isPreempting,
    reserveAfterMs,
    processes,
    mover: { ...USUAL_MOVER, ...mover },
    metrics,
  };
  return {
    controllers: Object.entries(CONTROLLERS)
      .filter(([name]) => chosenControllers.has(name))
      .map(([, make]) => make(parts)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};
