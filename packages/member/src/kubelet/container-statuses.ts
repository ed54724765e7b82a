import { createHash } from 'node:crypto';
import type { Container, Pod } from '@perigee/kubernetes/core/pod';
import type { ContainerState, ContainerStatus } from '@perigee/kubernetes/core/pod-status';
import { present } from '@perigee/schema/present';

const idOf = ({ metadata }: Pod, name: string, restarts: number): string =>
  `perigee://${createHash('sha256').update(`${metadata.uid}/${name}/${restarts}`).digest('hex')}`;

export interface ContainersUpdate {
  readonly state: ContainerState;
  readonly ready: boolean;
  readonly restartCount: number;
  /** Previous states of the containers; by default those in the present status. */
  readonly lastState?: ContainerState;
}

/** A terminated state includes the container id, so that its log can be read. */
const withContainerId = (state: ContainerState, containerID: string): ContainerState =>
  state.terminated === undefined ? state : { terminated: { ...state.terminated, containerID } };

/** The status of one container. */
export const containerStatus = (
  pod: Pod,
  container: Container,
  update: ContainersUpdate,
): ContainerStatus => {
  const { name, image = '' } = container;
  const { ready, restartCount } = update;
  const state = withContainerId(update.state, idOf(pod, name, restartCount));
  const old = pod.status?.containerStatuses?.find((status) => status.name === name);
  const hasRun = state.waiting === undefined || restartCount > 0 || update.lastState !== undefined;
  return {
    name,
    image,
    imageID: hasRun ? image : '',
    ...present({ containerID: hasRun ? idOf(pod, name, restartCount) : undefined }),
    ready,
    started: state.running !== undefined,
    restartCount,
    state,
    lastState: update.lastState
      ? withContainerId(update.lastState, idOf(pod, name, restartCount - (state.running ? 1 : 0)))
      : (old?.lastState ?? {}),
  };
};

/** All containers of a pod are simulated alike: they start, end and fail together. */
export const containerStatuses = (pod: Pod, update: ContainersUpdate): readonly ContainerStatus[] =>
  pod.spec.containers.map((container) => containerStatus(pod, container, update));

/** Init containers end immediately; sidecars run as long as the main containers. */
export const initStatuses = (
  pod: Pod,
  time: string,
  sidecars: ContainerState,
): { readonly initContainerStatuses?: readonly ContainerStatus[] } => {
  const { initContainers = [] } = pod.spec;
  if (initContainers.length === 0) return {};
  const completion = { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time };
  return {
    initContainerStatuses: initContainers.map((container) => {
      const isSidecar = container.restartPolicy === 'Always';
      const state: ContainerState = isSidecar ? sidecars : { terminated: completion };
      return containerStatus(pod, container, {
        state,
        ready: !isSidecar || state.running !== undefined,
        restartCount: 0,
        lastState: {},
      });
    }),
  };
};
