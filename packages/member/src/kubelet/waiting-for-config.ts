import type { Container, Pod } from '@perigee/kubernetes/core/pod';
import type { PodStatus } from '@perigee/kubernetes/core/pod-status';
import type { MissingConfig } from '../config/missing-config.ts';
import { initStatuses } from './container-statuses.ts';
import { liveConditions, mergeConditions } from './pod-conditions.ts';
import { type Waiting, waitingStatus } from './waiting-status.ts';

const CREATING = 'ContainerCreating';
const INITIALISING = 'PodInitializing';
const CONFIG_ERROR = 'CreateContainerConfigError';

/** True for the waiting reasons of a container before its start. */
export const isBeforeStart = (reason: string | undefined): boolean =>
  reason === CREATING || reason === INITIALISING || reason === CONFIG_ERROR;

/**
 * The status of a pod with missing references, in the order of a kubelet: volumes, then init containers one by one,
 * then the others.
 */
export const waitingForConfig = (
  pod: Pod,
  { volumes, containers: missing }: MissingConfig,
  hostIP: string,
  time: string,
): PodStatus => {
  const { initContainers = [] } = pod.spec;
  const blocked = initContainers.find(({ name }) => missing.has(name));
  const isMounted = volumes.length === 0;
  const isInitialised = isMounted && blocked === undefined;
  const usual = isInitialised || initContainers.length === 0 ? CREATING : INITIALISING;
  const waitingOf = ({ name }: Container): Waiting => {
    const message = missing.get(name);
    const isNext = isInitialised || name === blocked?.name;
    return isMounted && isNext && message !== undefined
      ? { reason: CONFIG_ERROR, message }
      : { reason: usual };
  };
  const startTime = pod.status?.startTime ?? time;
  const status = {
    ...waitingStatus(pod, waitingOf, time),
    startTime,
    hostIP,
    hostIPs: [{ ip: hostIP }],
  };
  if (!isInitialised) return status;
  const conditions = mergeConditions(
    pod.status?.conditions ?? [],
    liveConditions(pod, false),
    time,
  );
  return {
    ...status,
    conditions,
    ...initStatuses(pod, startTime, { running: { startedAt: startTime } }),
  };
};
