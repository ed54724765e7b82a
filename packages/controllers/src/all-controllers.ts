import { ClusterPropagationPolicy } from '@perigee/api/kinds/placement/cluster-propagation-policy';
import { PropagationPolicy } from '@perigee/api/kinds/placement/propagation-policy';
import type { Client } from '@perigee/kube/client/client';
import type { Clock } from '@perigee/kube/clock/clock';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Metrics } from '@perigee/kube/observe/metrics';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import type { MoverSettings } from '@perigee/scheduling/flows/render-mover-job';
import type { Interpreter } from '@perigee/scheduling/interpreter/interpreter';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';
import type { EvictionPacer } from '@perigee/scheduling/placement/failover/eviction-pacer';
import { present } from '@perigee/schema/present';
import { clusterHealthController } from './clusters/health/cluster-health-controller.ts';
import { clusterTaintPolicyController } from './clusters/health/cluster-taint-policy-controller.ts';
import { clusterAdoptionController } from './clusters/inventory/cluster-adoption-controller.ts';
import { clusterRegistrationController } from './clusters/inventory/cluster-registration-controller.ts';
import { inventoryStatusController } from './clusters/inventory/inventory-status-controller.ts';
import { leftoversController } from './clusters/leftovers/leftovers-controller.ts';
import { clusterReleaseController } from './clusters/lifecycle/cluster-release-controller.ts';
import { clusterRoomController } from './clusters/room/cluster-room-controller.ts';
import { schedulerLifecycleController } from './clusters/scheduler-lifecycle/scheduler-lifecycle-controller.ts';
import type { SchedulerProcesses } from './clusters/scheduler-lifecycle/scheduler-processes.ts';
import { clusterAssignmentController } from './clusters/sharding/cluster-assignment-controller.ts';
import type { Southbounds } from './clusters/southbound/southbound.ts';
import { clusterStatusController } from './clusters/status/cluster-status-controller.ts';
import type { MemberUsages } from './clusters/status/member-usages.ts';
import { dataPlacementController } from './data/data-placement-controller.ts';
import { dataSchedulerController } from './data/data-scheduler-controller.ts';
import { dataSourceController } from './data/data-source-controller.ts';
import { dataProvisionerController } from './data/provision/data-provisioner-controller.ts';
import { dataRefreshController } from './data/provision/data-refresh-controller.ts';
import { provisionerSettingsController } from './data/provision/provisioner-settings-controller.ts';
import type { Provisioners } from './data/provision/provisioners.ts';
import { claimCopyController } from './flows/claim-copy-controller.ts';
import { dataOperationsController } from './flows/data-operations-controller.ts';
import { dataTransfersController } from './flows/data-transfers-controller.ts';
import { datasetController } from './flows/dataset-controller.ts';
import { producedDatasetController } from './flows/produced-dataset-controller.ts';
import { producedSourceController } from './flows/produced-source-controller.ts';
import { gateController } from './gate/gate-controller.ts';
import { gangStatusController } from './groups/gang-status-controller.ts';
import { memberGroupsController } from './groups/member-groups-controller.ts';
import type { MemberClients } from './members/member-clients.ts';
import type { MemberInformers } from './members/member-informers.ts';
import { bindingStatusController } from './placement/binding-status/binding-status-controller.ts';
import { bindingWorkController } from './placement/binding-work/binding-work-controller.ts';
import { dependenciesController } from './placement/dependencies/dependencies-controller.ts';
import { detectorController } from './placement/detector/detector-controller.ts';
import { policyReleaseController } from './placement/detector/policy-release.ts';
import { distributorController } from './placement/distributor/distributor-controller.ts';
import { executionController } from './placement/execution/execution-controller.ts';
import { executionNamespacesController } from './placement/execution-namespaces/execution-namespaces-controller.ts';
import { applicationFailoverController } from './placement/failover/application/application-failover-controller.ts';
import { gracefulEvictionController } from './placement/failover/graceful-eviction/graceful-eviction-controller.ts';
import { taintEvictionController } from './placement/failover/taint-eviction/taint-eviction-controller.ts';
import { namespaceSyncController } from './placement/namespace-sync/namespace-sync-controller.ts';
import { schedulerController } from './placement/scheduler/scheduler-controller.ts';
import { scheduleTriggerController } from './placement/triggers/schedule-trigger-controller.ts';
import { workloadRebalancerController } from './placement/triggers/workload-rebalancer-controller.ts';
import { workDegradedController } from './placement/work-status/work-degraded-controller.ts';
import { workStatusController } from './placement/work-status/work-status-controller.ts';
import { dispatcherController } from './queues/dispatcher-controller.ts';

/** Shared dependencies of the controllers. */
export interface ControllerParts {
  /** The client of the control plane, for requests outside of reconciles. */
  readonly client: Client;
  readonly clock: Clock;
  readonly memberClients: MemberClients;
  readonly memberInformers: MemberInformers;
  readonly memberUsages: MemberUsages;
  readonly interpreter: Interpreter;
  readonly southbounds: Southbounds;
  readonly provisioners: Provisioners;
  readonly pacer: EvictionPacer;
  /** The sharding of clusters among Schedulers. */
  readonly sharding: ShardingName;
  /** True if queues reclaim usage beyond what others deserve. */
  readonly isPreempting: boolean;
  /** After which time small work does not pass the first of a queue any more. */
  readonly reserveAfterMs: number;
  /** Absent when another program runs the processes of Schedulers. */
  readonly processes: SchedulerProcesses | undefined;
  /** Settings for copying data. */
  readonly mover: MoverSettings;
  /** Registry for their metrics. */
  readonly metrics: Metrics | undefined;
}

type MakeController = (parts: ControllerParts) => ControllerDefinition;

const [namespaced, clusterScoped] = BINDING_KINDS;

/** All controllers of a control plane, by the names that users choose them by: the only list of them. */
export const CONTROLLERS: { readonly [name: string]: MakeController } = {
  // clusters
  'cluster-registration': ({ southbounds }) => clusterRegistrationController({ southbounds }),
  'cluster-adoption': () => clusterAdoptionController(),
  'cluster-inventory': ({ southbounds }) => inventoryStatusController({ southbounds }),
  'cluster-status': ({ memberClients: members, memberUsages: usages }) =>
    clusterStatusController({ members, usages }),
  'cluster-room': ({ memberUsages: usages }) => clusterRoomController({ usages }),
  'cluster-health': () => clusterHealthController(),
  'cluster-taint-policy': () => clusterTaintPolicyController(),
  'cluster-assignment': ({ sharding }) => clusterAssignmentController({ sharding }),
  'scheduler-lifecycle': ({ processes }) => schedulerLifecycleController(present({ processes })),
  'binding-release': () => clusterReleaseController(namespaced),
  'cluster-binding-release': () => clusterReleaseController(clusterScoped),
  leftovers: ({ memberClients: members }) => leftoversController({ members }),

  // data
  'data-scheduler': () => dataSchedulerController(),
  'data-sources': () => dataSourceController(),
  'data-provisioner': ({ provisioners, clock }) =>
    dataProvisionerController({ provisioners, clock }),
  'data-refresh': ({ provisioners, clock }) => dataRefreshController({ provisioners, clock }),
  'data-provisioner-settings': ({ provisioners }) =>
    provisionerSettingsController({ provisioners }),
  'data-placement': ({ client, clock }) => dataPlacementController({ client, clock }),
  'data-copies': ({ mover: { staging } }) => claimCopyController({ staging }),
  gate: () => gateController(),

  // queues
  dispatcher: ({ clock, isPreempting, reserveAfterMs }) =>
    dispatcherController({ clock, isPreempting, reserveAfterMs }),

  // flows
  datasets: () => datasetController(),
  'produced-datasets': () => producedDatasetController(),
  'produced-sources': () => producedSourceController(),
  'data-transfers': ({ mover }) => dataTransfersController({ mover }),
  'data-operations': ({ interpreter, mover, metrics }) =>
    dataOperationsController({ interpreter, mover, ...present({ metrics }) }),

  // placement
  detector: ({ client, clock, interpreter }) => detectorController({ client, clock, interpreter }),
  'policy-release': () => policyReleaseController(PropagationPolicy),
  'cluster-policy-release': () => policyReleaseController(ClusterPropagationPolicy),
  dependencies: ({ client, clock }) => dependenciesController({ client, clock }),
  distributor: () => distributorController(namespaced),
  'cluster-distributor': () => distributorController(clusterScoped),
  scheduler: () => schedulerController(namespaced, { isDeputy: true }),
  'cluster-scheduler': () => schedulerController(clusterScoped, { isDeputy: true }),
  binding: ({ interpreter }) => bindingWorkController(namespaced, { interpreter }),
  'cluster-binding': ({ interpreter }) => bindingWorkController(clusterScoped, { interpreter }),
  'binding-status': ({ interpreter }) => bindingStatusController(namespaced, { interpreter }),
  'cluster-binding-status': ({ interpreter }) =>
    bindingStatusController(clusterScoped, { interpreter }),
  execution: ({ memberInformers: members, interpreter }) =>
    executionController({ members, interpreter }),
  'work-status': ({ memberInformers: members, interpreter }) =>
    workStatusController({ members, interpreter }),
  'work-degraded': ({ memberInformers: members }) => workDegradedController({ members }),
  'execution-namespaces': () => executionNamespacesController(),
  'namespace-sync': () => namespaceSyncController(),
  'taint-eviction': ({ pacer }) => taintEvictionController(namespaced, { pacer }),
  'cluster-taint-eviction': ({ pacer }) => taintEvictionController(clusterScoped, { pacer }),
  'graceful-eviction': () => gracefulEvictionController(namespaced),
  'cluster-graceful-eviction': () => gracefulEvictionController(clusterScoped),
  'application-failover': ({ interpreter }) =>
    applicationFailoverController(namespaced, { interpreter }),
  'cluster-application-failover': ({ interpreter }) =>
    applicationFailoverController(clusterScoped, { interpreter }),
  'schedule-trigger': () => scheduleTriggerController(),
  'workload-rebalancer': () => workloadRebalancerController(),

  // groups
  'gang-status': ({ memberClients: members, clock }) => gangStatusController({ members, clock }),
  'member-pod-groups': ({ memberClients: members, clock }) =>
    memberGroupsController({ members, clock }),
};

export const CONTROLLER_NAMES: readonly string[] = Object.keys(CONTROLLERS);
