import type { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { groupNameOf, TASK } from '@perigee/scheduling/groups/group-names';
import { isFinished, isTerminating } from '../pods/pod-state.ts';

/** For an index of pods: `namespace/name` of the group. */
export const groupKeysOf = (pod: Pod): readonly string[] => {
  const name = groupNameOf(pod);
  return name === undefined ? [] : [`${pod.metadata.namespace ?? ''}/${name}`];
};

const taskOf = ({ metadata }: Pod): string => metadata.annotations?.[TASK] ?? '';

/** A member that needs no node any more, or has one, stands for one of those that must be able to start. */
const counts = (pod: Pod): boolean => !isTerminating(pod) && pod.status?.phase !== 'Failed';

export interface GroupNeed {
  readonly pending: readonly Pod[];
  /** How many have a node or are done. */
  readonly settled: number;
  /** Whether enough can start when these pending ones get nodes beside the settled. */
  isEnough(placed: readonly Pod[]): boolean;
}

/** What a group still needs. `hasNode` tells also of nodes that were just given. */
export const groupNeed = (
  { spec }: PodGroup,
  members: readonly Pod[],
  hasNode: (pod: Pod) => boolean,
): GroupNeed => {
  const counted = members.filter(counts);
  const settled = counted.filter((pod) => isFinished(pod) || hasNode(pod));
  const pending = counted.filter((pod) => !isFinished(pod) && !hasNode(pod));
  const { minMember = 0, minTaskMember = {} } = spec;
  const leastOfTasks = Object.values(minTaskMember).reduce((sum, least) => sum + least, 0);
  // A group that can do with fewer pods than its tasks ask for does not go by its tasks.
  const perTask = minMember < leastOfTasks ? [] : Object.entries(minTaskMember);
  return {
    pending,
    settled: settled.length,
    isEnough: (placed) => {
      const able = [...settled, ...placed];
      return (
        able.length >= minMember &&
        perTask.every(([task, least]) => able.filter((pod) => taskOf(pod) === task).length >= least)
      );
    },
  };
};
