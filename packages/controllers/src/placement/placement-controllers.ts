import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Logger } from '@perigee/kube/observe/logger';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import { clusterHealthController } from '../clusters/health/cluster-health-controller.ts';
import { clusterTaintPolicyController } from '../clusters/health/cluster-taint-policy-controller.ts';
import { inventoryControllers } from '../clusters/inventory/inventory-controllers.ts';
import { leftoversController } from '../clusters/leftovers/leftovers-controller.ts';
import { clusterReleaseControllers } from '../clusters/lifecycle/cluster-release-controller.ts';
import {
  type ShardingControllersOptions,
  shardingControllers,
} from '../clusters/sharding/sharding-controllers.ts';
import { kubernetesSouthbound } from '../clusters/southbound/kubernetes-southbound.ts';
import { OpenStackSouthbound } from '../clusters/southbound/openstack/openstack-southbound.ts';
import type { VirtualHost } from '../clusters/southbound/virtual-host.ts';
import { virtualElsewhere, virtualSouthbound } from '../clusters/southbound/virtual-southbound.ts';
import { clusterStatusController } from '../clusters/status/cluster-status-controller.ts';
import { CustomisedInterpreter } from '../interpreters/customised-interpreter.ts';
import { HttpMembers } from '../members/http-members.ts';
import { firstOf, type MemberClients } from '../members/member-clients.ts';
import { MemberInformers } from '../members/member-informers.ts';
import { bindingStatusControllers } from './binding-status/binding-status-controller.ts';
import { bindingWorkControllers } from './binding-work/binding-work-controller.ts';
import { dependenciesController } from './dependencies/dependencies-controller.ts';
import { detectorController } from './detector/detector-controller.ts';
import { policyReleaseControllers } from './detector/policy-release.ts';
import { executionController } from './execution/execution-controller.ts';
import { executionNamespacesController } from './execution-namespaces/execution-namespaces-controller.ts';
import { applicationFailoverControllers } from './failover/application/application-failover-controller.ts';
import { gracefulEvictionControllers } from './failover/graceful-eviction/graceful-eviction-controller.ts';
import { taintEvictionControllers } from './failover/taint-eviction/taint-eviction-controller.ts';
import { namespaceSyncController } from './namespace-sync/namespace-sync-controller.ts';
import { schedulerControllers } from './scheduler/scheduler-controller.ts';
import { scheduleTriggerController } from './triggers/schedule-trigger-controller.ts';
import { workStatusController } from './work-status/work-status-controller.ts';

export interface PlacementOptions {
  /** The control plane. */
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Members that live in this process; all others are reached over the network. */
  readonly hosted?: MemberClients;
  /** Makes members of the type `virtual`; without it they are left to another process. */
  readonly virtualHost?: VirtualHost;
  /** Shares the work out among Schedulers. Without it the scheduler that is built in does all of it. */
  readonly sharding?: ShardingControllersOptions;
}

/** All controllers that place work, and what they have in common. */
export interface Placement extends AsyncDisposable {
  readonly controllers: readonly ControllerDefinition[];
}

/** Makes the controllers that bring work to clusters and keep it there. */
export const openPlacement = ({
  client,
  clock,
  logger,
  hosted,
  virtualHost: host,
  sharding,
}: PlacementOptions): Placement => {
  const stack = new AsyncDisposableStack();
  const remote = stack.use(new HttpMembers({ client, clock, logger }));
  const clients = hosted === undefined ? remote : firstOf(hosted, remote);
  const members = stack.use(new MemberInformers({ members: clients, clock }));
  const known = createInterpreter([...nativeKinds, ...frameworkKinds]);
  const interpreter = stack.use(new CustomisedInterpreter(known, { client, clock }));
  const reached = { client, clock, members: clients };
  const kubernetes = kubernetesSouthbound(reached);
  const southbounds = {
    kubernetes,
    virtual:
      host === undefined ? virtualElsewhere(kubernetes) : virtualSouthbound({ ...reached, host }),
    openstack: stack.use(new OpenStackSouthbound({ client, clock })),
  };
  return {
    controllers: [
      ...inventoryControllers({ southbounds }),
      clusterStatusController({ members: clients }),
      clusterHealthController(),
      clusterTaintPolicyController(),
      leftoversController({ members: clients }),
      ...clusterReleaseControllers(),
      detectorController({ client, clock, interpreter }),
      ...policyReleaseControllers(),
      dependenciesController({ client, clock }),
      ...(sharding === undefined ? [] : shardingControllers(sharding)),
      ...schedulerControllers({ isDeputy: sharding !== undefined }),
      ...bindingWorkControllers({ interpreter }),
      executionController({ members, interpreter }),
      workStatusController({ members, interpreter }),
      ...bindingStatusControllers({ interpreter }),
      executionNamespacesController(),
      namespaceSyncController(),
      ...taintEvictionControllers({}),
      ...gracefulEvictionControllers({}),
      ...applicationFailoverControllers({ interpreter }),
      scheduleTriggerController(),
    ],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};
