import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import { deploymentController } from './deployment/deployment-controller.ts';
import { jobController } from './job/job-controller.ts';
import { type KubeletOptions, kubeletController } from './kubelet/kubelet-controller.ts';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.ts';
import { podGroupController } from './pod-group/pod-group-controller.ts';
import { replicaSetController } from './replica-set/replica-set-controller.ts';
import { type SchedulerOptions, schedulerController } from './scheduler/scheduler-controller.ts';
import { volcanoJobController } from './volcano-job/volcano-job-controller.ts';

export interface MemberControllersOptions extends KubeletOptions, SchedulerOptions {}

/** Everything that makes workloads run in a cluster of which only the API server is real. */
export const memberControllers = (
  options: MemberControllersOptions = {},
): readonly ControllerDefinition[] => [
  deploymentController(),
  replicaSetController(),
  jobController(),
  ...(options.podGroups === false ? [] : [volcanoJobController(), podGroupController()]),
  nodeLifecycleController(),
  schedulerController(options),
  kubeletController(options),
];
