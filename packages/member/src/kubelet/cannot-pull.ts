import type { Pod } from '@perigee/kubernetes/core/pod';
import type { PodStatus } from '@perigee/kubernetes/core/pod-status';
import { containerStatuses } from './container-statuses.ts';
import { liveConditions, mergeConditions } from './pod-conditions.ts';

/** The status of a pod whose annotation asks for a failing image pull. */
export const cannotPull = (pod: Pod, hostIP: string, time: string): PodStatus => {
  const old = pod.status ?? {};
  const image = pod.spec.containers[0]?.image ?? '';
  const message = `Back-off pulling image "${image}": ErrImagePull: the pod asks for this failure`;
  const state = { waiting: { reason: 'ImagePullBackOff', message } };
  return {
    ...old,
    phase: 'Pending',
    startTime: old.startTime ?? time,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    conditions: mergeConditions(old.conditions ?? [], liveConditions(pod, false), time),
    containerStatuses: containerStatuses(pod, { state, ready: false, restartCount: 0 }),
  };
};
