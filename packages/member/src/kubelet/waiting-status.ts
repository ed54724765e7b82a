import type { Container, Pod } from '@perigee/kubernetes/core/pod';
import type { ContainerStatus, PodStatus } from '@perigee/kubernetes/core/pod-status';
import { present, unlessEmpty } from '@perigee/schema/present';
import { containerStatus } from './container-statuses.ts';
import { mergeConditions, waitingConditions } from './pod-conditions.ts';

export interface Waiting {
  readonly reason: string;
  readonly message?: string;
}

/** The status of a pod before its first container starts, with the reason. */
export const waitingStatus = (
  pod: Pod,
  waitingOf: (container: Container) => Waiting,
  time: string,
): PodStatus => {
  const { status: old = {}, spec } = pod;
  const statuses = (containers: readonly Container[]): readonly ContainerStatus[] =>
    containers.map((container) => {
      const state = { waiting: waitingOf(container) };
      return containerStatus(pod, container, { state, ready: false, restartCount: 0 });
    });
  const { initContainers = [] } = spec;
  return {
    ...old,
    phase: 'Pending',
    conditions: mergeConditions(old.conditions ?? [], waitingConditions(pod), time),
    containerStatuses: statuses(spec.containers),
    ...present({ initContainerStatuses: unlessEmpty(statuses(initContainers)) }),
  };
};
