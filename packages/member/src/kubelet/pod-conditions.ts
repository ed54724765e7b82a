import type { Pod } from '@perigee/kubernetes/core/pod';
import type { PodCondition } from '@perigee/kubernetes/core/pod-status';

type ConditionUpdate = Pick<PodCondition, 'type' | 'status' | 'reason' | 'message'>;

/** A pod is ready when its containers are and its readiness gates are open. */
const readiness = (pod: Pod, containersReady: boolean): readonly ConditionUpdate[] => {
  const unready = {
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${pod.spec.containers.map(({ name }) => name).join(' ')}]`,
  };
  const closedGates = (pod.spec.readinessGates ?? []).filter(
    ({ conditionType }) =>
      !pod.status?.conditions?.some(
        ({ type, status }) => type === conditionType && status === 'True',
      ),
  );
  const containers: ConditionUpdate = containersReady
    ? { type: 'ContainersReady', status: 'True' }
    : { type: 'ContainersReady', status: 'False', ...unready };
  if (!containersReady) return [{ type: 'Ready', status: 'False', ...unready }, containers];
  if (closedGates.length === 0) return [{ type: 'Ready', status: 'True' }, containers];
  const messages = closedGates.map(
    ({ conditionType }) =>
      `corresponding condition of pod readiness gate "${conditionType}" does not exist.`,
  );
  const reason = 'ReadinessGatesNotReady';
  return [{ type: 'Ready', status: 'False', reason, message: messages.join(', ') }, containers];
};

const STARTED: readonly ConditionUpdate[] = [
  { type: 'PodReadyToStartContainers', status: 'True' },
  { type: 'Initialized', status: 'True' },
];

/** Conditions of a pod whose containers run or are being restarted. */
export const liveConditions = (pod: Pod, containersReady: boolean): readonly ConditionUpdate[] => [
  ...STARTED,
  ...readiness(pod, containersReady),
];

/** Conditions of a pod before its first container starts. */
export const waitingConditions = (pod: Pod): readonly ConditionUpdate[] => {
  const names = (pod.spec.initContainers ?? []).map(({ name }) => name);
  return [
    { type: 'PodReadyToStartContainers', status: 'False' },
    names.length === 0
      ? { type: 'Initialized', status: 'True' }
      : {
          type: 'Initialized',
          status: 'False',
          reason: 'ContainersNotInitialized',
          message: `containers with incomplete status: [${names.join(' ')}]`,
        },
    ...readiness(pod, false),
  ];
};

/** Conditions of an ended pod. */
export const endConditions = (phase: 'Succeeded' | 'Failed'): readonly ConditionUpdate[] => {
  const reason = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  return [
    { type: 'PodReadyToStartContainers', status: 'False' },
    phase === 'Succeeded'
      ? { type: 'Initialized', status: 'True', reason }
      : { type: 'Initialized', status: 'True' },
    { type: 'Ready', status: 'False', reason },
    { type: 'ContainersReady', status: 'False', reason },
  ];
};

/** Merges conditions; those of others stay. The transition time changes only with the status. */
export const mergeConditions = (
  old: readonly PodCondition[],
  update: readonly ConditionUpdate[],
  time: string,
): readonly PodCondition[] => {
  const types = new Set(update.map(({ type }) => type));
  return [
    ...update.map((condition) => {
      const before = old.find(({ type }) => type === condition.type);
      const isSame = before?.status === condition.status;
      return {
        ...condition,
        lastProbeTime: null,
        lastTransitionTime: isSame ? (before.lastTransitionTime ?? time) : time,
      };
    }),
    ...old.filter(({ type }) => !types.has(type)),
  ];
};
