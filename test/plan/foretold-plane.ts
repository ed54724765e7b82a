import { ClusterTaintPolicy } from '@perigee/api/kinds/clusters/cluster-taint-policy';
import { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import { startEmbeddedServer } from '@perigee/apiserver/embedded/embedded-server';
import { clusterHealthController } from '@perigee/controllers/clusters/health/cluster-health-controller';
import { clusterTaintPolicyController } from '@perigee/controllers/clusters/health/cluster-taint-policy-controller';
import { dataPlacementController } from '@perigee/controllers/data/data-placement-controller';
import { dataSchedulerController } from '@perigee/controllers/data/data-scheduler-controller';
import { dataSourceController } from '@perigee/controllers/data/data-source-controller';
import { gateController } from '@perigee/controllers/gate/gate-controller';
import { detectorController } from '@perigee/controllers/placement/detector/detector-controller';
import { gracefulEvictionController } from '@perigee/controllers/placement/failover/graceful-eviction/graceful-eviction-controller';
import { taintEvictionController } from '@perigee/controllers/placement/failover/taint-eviction/taint-eviction-controller';
import { schedulerController } from '@perigee/controllers/placement/scheduler/scheduler-controller';
import { scheduleTriggerController } from '@perigee/controllers/placement/triggers/schedule-trigger-controller';
import { dispatcherController } from '@perigee/controllers/queues/dispatcher-controller';
import type { Client } from '@perigee/kube/client/client';
import { VirtualClock } from '@perigee/kube/clock/virtual-clock';
import { Manager } from '@perigee/kube/manager/manager';
import { createLogger } from '@perigee/kube/observe/logger';
import {
  createInterpreter,
  frameworkKinds,
  nativeKinds,
} from '@perigee/scheduling/interpreter/known-kinds';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import { reportingMembers } from './reporting-members.ts';

const interpreter = createInterpreter([...nativeKinds, ...frameworkKinds]);

const controllersOf = (client: Client, clock: VirtualClock) => {
  const pacer = new EvictionPacer();
  return [
    detectorController({ client, clock, interpreter }),
    dataSchedulerController(),
    dataSourceController(),
    dataPlacementController({ client, clock }),
    gateController(),
    dispatcherController({ clock }),
    ...BINDING_KINDS.map((kind) => schedulerController(kind)),
    clusterHealthController(),
    clusterTaintPolicyController(),
    ...BINDING_KINDS.map((kind) => taintEvictionController(kind, { pacer })),
    ...BINDING_KINDS.map((kind) => gracefulEvictionController(kind)),
    scheduleTriggerController(),
    reportingMembers(clock),
  ];
};

export interface ForetoldPlane extends AsyncDisposable {
  readonly client: Client;
  readonly clock: VirtualClock;
}

/** A control plane with all deciding controllers, on a clock of its own, and members that only report. */
export const startForetoldPlane = async (): Promise<ForetoldPlane> => {
  await using stack = new AsyncDisposableStack();
  const clock = new VirtualClock();
  const logger = createLogger({ clock, level: 'error' });
  const { client, troubles } = stack.use(await startEmbeddedServer({ clock, logger }));
  await client.create(ClusterTaintPolicy, LOST as never);
  const controllers = controllersOf(client, clock);
  const manager = stack.use(new Manager({ client, clock, logger, controllers, troubles }));
  await manager.start();
  const resources = stack.move();
  return { client, clock, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};

const LOST = {
  metadata: { name: 'lost' },
  spec: {
    addOnConditions: [
      { conditionType: 'Ready', operator: 'NotIn', statusValues: ['True'], forSeconds: 60 },
    ],
    removeOnConditions: [{ conditionType: 'Ready', operator: 'In', statusValues: ['True'] }],
    taints: [{ key: 'example.com/lost', effect: 'NoExecute' }],
  },
};

/** Sets the Ready condition of a cluster. */
export const setReady = async (
  client: Client,
  name: string,
  status: 'True' | 'False',
  at: string,
) => {
  const condition = { type: 'Ready', status, reason: 'Test', message: '', lastTransitionTime: at };
  const body = { status: { conditions: [condition] } };
  await client.patch(MemberCluster, { name }, { type: 'merge', body }, { subresource: 'status' });
};
