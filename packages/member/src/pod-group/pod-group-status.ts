import type { PodGroup, PodGroupStatus } from '@perigee/api/kinds/groups/pod-group';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { isTerminating } from '../pods/pod-state.ts';

type Phase = NonNullable<PodGroupStatus['phase']>;

const phaseOf = (
  { spec, status }: PodGroup,
  { running, succeeded, failed, pending }: { [count: string]: number },
): Phase => {
  const { minMember = 0 } = spec;
  const ended = (succeeded ?? 0) + (failed ?? 0);
  const started = (running ?? 0) + (succeeded ?? 0);
  if (ended > 0 && (running ?? 0) === 0 && (pending ?? 0) === 0) return 'Completed';
  if ((running ?? 0) > 0 && started >= minMember) return 'Running';
  // There are no queues that could make it wait.
  if (status?.phase === 'Running' && (running ?? 0) > 0) return 'Unknown';
  return 'Inqueue';
};

/** How far a group has come, by its pods. */
export const podGroupStatus = (group: PodGroup, members: readonly Pod[]): PodGroupStatus => {
  const pods = members.filter((pod) => !isTerminating(pod));
  const count = (phase: string): number =>
    pods.filter(({ status }) => (status?.phase ?? 'Pending') === phase).length;
  const counts = {
    running: count('Running'),
    succeeded: count('Succeeded'),
    failed: count('Failed'),
  };
  return {
    ...group.status,
    phase: phaseOf(group, { ...counts, pending: count('Pending') }),
    ...counts,
  };
};
