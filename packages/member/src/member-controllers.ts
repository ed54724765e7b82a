import type { ControllerDefinition } from '@perigee/kube/controller/define-controller';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { cronJobController } from './cron-job/cron-job-controller.ts';
import { daemonSetController } from './daemon-set/daemon-set-controller.ts';
import { deploymentController } from './deployment/deployment-controller.ts';
import { disruptionController } from './disruption/disruption-controller.ts';
import { endpointSliceController } from './endpoint-slices/endpoint-slice-controller.ts';
import { jobController } from './job/job-controller.ts';
import { type KubeletOptions, kubeletController } from './kubelet/kubelet-controller.ts';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.ts';
import { podGcController } from './pod-gc/pod-gc-controller.ts';
import { podGroupController } from './pod-group/pod-group-controller.ts';
import { processController } from './process-runtime/process-controller.ts';
import type { ProcessRuntime } from './process-runtime/process-runtime.ts';
import { runsAsProcesses } from './process-runtime/runtime-of.ts';
import { replicaSetController } from './replica-set/replica-set-controller.ts';
import { type SchedulerOptions, schedulerController } from './scheduler/scheduler-controller.ts';
import { statefulSetController } from './stateful-set/stateful-set-controller.ts';
import { ttlAfterFinishedController } from './ttl/ttl-after-finished-controller.ts';
import { volcanoJobController } from './volcano-job/volcano-job-controller.ts';
import { type VolumeOptions, volumeBinderController } from './volumes/volume-binder-controller.ts';
import { volumeReclaimerController } from './volumes/volume-reclaimer-controller.ts';

export interface MemberControllersOptions extends KubeletOptions, SchedulerOptions, VolumeOptions {
  /** Runs pods as processes of this machine; without it all are simulated. */
  readonly runtime?: ProcessRuntime;
}

/** Simulates the pods that no runtime, here or elsewhere, takes. */
const simulatedBy = ({ simulates = () => true, runtime }: MemberControllersOptions) => ({
  simulates: (pod: Pod) =>
    !runsAsProcesses(pod, runtime?.runsAll(pod.metadata.namespace ?? '') ?? false) &&
    simulates(pod),
});

/** The controllers of a cluster that has nothing but an API server. */
export const memberControllers = (
  options: MemberControllersOptions = {},
): readonly ControllerDefinition[] => [
  deploymentController(),
  replicaSetController(),
  statefulSetController(),
  daemonSetController(),
  jobController(),
  ttlAfterFinishedController(),
  cronJobController(),
  ...(options.podGroups === false ? [] : [volcanoJobController(), podGroupController()]),
  endpointSliceController(),
  disruptionController(),
  volumeBinderController(options),
  volumeReclaimerController(async (volume) => options.runtime?.volumes.remove(volume)),
  nodeLifecycleController(),
  podGcController(),
  schedulerController(options),
  kubeletController({ ...options, ...simulatedBy(options) }),
  processController(options.runtime),
];
