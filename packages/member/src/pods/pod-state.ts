import type { Pod } from '@perigee/kubernetes/core/pod';
import type { PodCondition } from '@perigee/kubernetes/core/pod-status';
import { parseTime } from '@perigee/schema/values/time';

export const podCondition = ({ status }: Pod, type: string): PodCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

export const isPodReady = (pod: Pod): boolean => podCondition(pod, 'Ready')?.status === 'True';

export const isFinished = ({ status }: Pod): boolean =>
  status?.phase === 'Succeeded' || status?.phase === 'Failed';

export const isTerminating = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined;

export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod);

/** Time at which the pod became ready, if it is. */
export const readySince = (pod: Pod): number | undefined => {
  const condition = podCondition(pod, 'Ready');
  if (condition?.status !== 'True') return undefined;
  const { lastTransitionTime } = condition;
  return typeof lastTransitionTime === 'string' ? parseTime(lastTransitionTime) : 0;
};

/** Time at which a ready pod counts as available; absent while it is not ready. */
export const availableAt = (pod: Pod, minReadySeconds: number): number | undefined => {
  const since = readySince(pod);
  if (since === undefined) return undefined;
  return minReadySeconds > 0 ? since + minReadySeconds * 1000 : Number.NEGATIVE_INFINITY;
};

export const restartsOf = ({ status }: Pod): number =>
  Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
