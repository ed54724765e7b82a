import { schedulerLifecycleController } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-lifecycle-controller';
import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import { clusterAssignmentController } from '@perigee/controllers/clusters/sharding/cluster-assignment-controller';
import { distributorController } from '@perigee/controllers/placement/distributor/distributor-controller';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { BINDING_KINDS } from '@perigee/scheduling/placement/binding/binding';

/** The controllers that share clusters and work out among schedulers. */
export const shardingControllers = (
  options: { readonly processes?: SchedulerProcesses } = {},
): readonly ControllerDefinition[] => [
  clusterAssignmentController(),
  schedulerLifecycleController(options),
  ...BINDING_KINDS.map((kind) => distributorController(kind)),
];
