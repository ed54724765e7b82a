import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf, TASK } from '@perigee/scheduling/groups/group-names';
import { isFinished, isTerminating } from '../pods/pod-state.ts';

/** Index keys of a pod: `namespace/name` of its group. */
export const groupKeysOf = (pod: Pod): readonly string[] => {
  const name = groupNameOf(pod);
  return name === undefined ? [] : [`${pod.metadata.namespace ?? ''}/${name}`];
};

const taskOf = ({ metadata }: Pod): string => metadata.annotations?.[TASK] ?? '';

/** Finished members and those with a node count towards minMember. */
const counts = (pod: Pod): boolean => !isTerminating(pod) && pod.status?.phase !== 'Failed';

export interface GroupNeed {
  readonly pendingPods: readonly Pod[];
  /** Number of members with a node, or finished. */
  readonly settledCount: number;
  /** True if enough can start with these pending pods in addition. */
  isEnough(placedPods: readonly Pod[]): boolean;
}

/** The remaining need of a group. `hasNode` includes nodes that were just assigned. */
export const groupNeed = (
  { spec }: PodGroup,
  members: readonly Pod[],
  hasNode: (pod: Pod) => boolean,
): GroupNeed => {
  const countedPods = members.filter(counts);
  const settledPods = countedPods.filter((pod) => isFinished(pod) || hasNode(pod));
  const pendingPods = countedPods.filter((pod) => !isFinished(pod) && !hasNode(pod));
  const { minMember = 0, minTaskMember = {} } = spec;
  const leastOfTasks = Object.values(minTaskMember).reduce((sum, least) => sum + least, 0);
  // With minMember below the sum over the tasks, the tasks' minimums do not apply.
  const perTask = minMember < leastOfTasks ? [] : Object.entries(minTaskMember);
  return {
    pendingPods,
    settledCount: settledPods.length,
    isEnough: (placedPods) => {
      const able = [...settledPods, ...placedPods];
      return (
        able.length >= minMember &&
        perTask.every(([task, least]) => able.filter((pod) => taskOf(pod) === task).length >= least)
      );
    },
  };
};
