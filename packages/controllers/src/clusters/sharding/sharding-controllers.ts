import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { ShardingName } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { distributorControllers } from '../../placement/distributor/distributor-controller.ts';
import { schedulerLifecycleController } from '../scheduler-lifecycle/scheduler-lifecycle-controller.ts';
import type { SchedulerProcesses } from '../scheduler-lifecycle/scheduler-processes.ts';
import { clusterAssignmentController } from './cluster-assignment-controller.ts';

export interface ShardingControllersOptions {
  /** How clusters are shared out: sticky-geo unless given. */
  readonly sharding?: ShardingName;
  /** Absent when somebody else runs the processes of schedulers. */
  readonly processes?: SchedulerProcesses;
}

/** The controllers that share clusters and work out among schedulers. */
export const shardingControllers = ({
  sharding = 'sticky-geo',
  processes,
}: ShardingControllersOptions = {}): readonly ControllerDefinition[] => [
  clusterAssignmentController({ sharding }),
  schedulerLifecycleController(processes === undefined ? {} : { processes }),
  ...distributorControllers(),
];
