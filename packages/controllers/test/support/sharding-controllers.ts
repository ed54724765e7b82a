import { schedulerLifecycleController } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-lifecycle-controller';
import type { SchedulerProcesses } from '@perigee/controllers/clusters/scheduler-lifecycle/scheduler-processes';
import { clusterAssignmentController } from '@perigee/controllers/clusters/sharding/cluster-assignment-controller';
import { distributorController } from '@perigee/controllers/placement/distributor/distributor-controller';
import { BINDING_KINDS } from '@perigee/controllers/placement/scheduler/binding';
import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';

/** The controllers that share clusters and work out among schedulers. */
export const shardingControllers = (
  options: { readonly processes?: SchedulerProcesses } = {},
): readonly ControllerDefinition[] => [
  clusterAssignmentController(),
  schedulerLifecycleController(options),
  ...BINDING_KINDS.map((kind) => distributorController(kind)),
];
