import type { Pod } from '@perigee/kubernetes/core/pod';
import type { ContainerStatus, PodStatus } from '@perigee/kubernetes/core/pod-status';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import {
  endConditions,
  liveConditions,
  mergeConditions,
  waitingConditions,
} from '../kubelet/pod-conditions.ts';
import { POD_IP } from './field-value.ts';
import type { PodRun } from './pod-run.ts';

type Progress = Pick<
  PodRun,
  'startTime' | 'isInitialised' | 'mountProblem' | 'verdict' | 'statusOf'
>;

const hasStarted = ({ state, restartCount }: ContainerStatus): boolean =>
  state?.waiting === undefined || restartCount > 0;

const newConditions = (pod: Pod, run: Progress, containers: readonly ContainerStatus[]) => {
  if (run.verdict !== undefined) return endConditions(run.verdict.phase);
  if (run.mountProblem !== undefined) return waitingConditions(pod);
  const conditions = liveConditions(
    pod,
    containers.every(({ ready }) => ready),
  );
  if (run.isInitialised) return conditions;
  const names = (pod.spec.initContainers ?? []).map(({ name }) => name).join(' ');
  const unfinished = {
    type: 'Initialized',
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${names}]`,
  } as const;
  return conditions.map((condition) => (condition.type === 'Initialized' ? unfinished : condition));
};

/** The status of a pod, from its processes. */
export const processPodStatus = (
  pod: Pod,
  run: Progress,
  hostIP: string,
  now: number,
): PodStatus => {
  const { verdict } = run;
  const { status: old = {}, spec } = pod;
  const statuses = (containers: readonly { readonly name: string }[]) =>
    containers.flatMap(({ name }) => run.statusOf(name) ?? []);
  const containers = statuses(spec.containers);
  const inits = statuses(spec.initContainers ?? []);
  return {
    ...old,
    ...(verdict ?? { phase: containers.some(hasStarted) ? 'Running' : 'Pending' }),
    startTime: run.startTime,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: POD_IP,
    podIPs: [{ ip: POD_IP }],
    conditions: mergeConditions(
      old.conditions ?? [],
      newConditions(pod, run, containers),
      formatTime(now),
    ),
    containerStatuses: containers,
    ...present({ initContainerStatuses: unlessEmpty(inits) }),
  };
};
