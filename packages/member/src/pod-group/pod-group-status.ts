import type { PodGroup, PodGroupStatus } from '@perigee/api/kinds/groups/pod-group';
import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatTime } from '@perigee/schema/values/time';
import { isTerminating, podCondition } from '../pods/pod-state.ts';

type Phase = NonNullable<PodGroupStatus['phase']>;
type Conditions = NonNullable<PodGroupStatus['conditions']>;

interface Counts {
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly pending: number;
}

const phaseOf = (
  { spec, status }: PodGroup,
  { running, succeeded, failed, pending }: Counts,
): Phase => {
  const { minMember = 0 } = spec;
  if (succeeded + failed > 0 && running === 0 && pending === 0) return 'Completed';
  if (running > 0 && running + succeeded >= minMember) return 'Running';
  // Members have no queues that could hold it back.
  if (status?.phase === 'Running' && running > 0) return 'Unknown';
  return 'Inqueue';
};

type Observation =
  | {
      readonly type: 'Unschedulable';
      readonly reason: ReasonOf<'PodGroup', 'Unschedulable'>;
      readonly message: string;
    }
  | {
      readonly type: 'Scheduled';
      readonly reason: ReasonOf<'PodGroup', 'Scheduled'>;
      readonly message: string;
    };

/** The scheduler's last verdict on the group, from its pods; undefined before its first try. */
const observe = ({ spec }: PodGroup, pods: readonly Pod[]): Observation | undefined => {
  const { minMember = 0 } = spec;
  const placedPods = pods.filter(
    ({ spec: { nodeName }, status }) => nodeName && status?.phase !== 'Failed',
  );
  const message = `${placedPods.length} of ${pods.length} pods have nodes, ${minMember} are needed`;
  if (placedPods.length > 0 && placedPods.length >= minMember) {
    return { type: 'Scheduled', reason: 'EnoughPodsScheduled', message };
  }
  const refusedPod = pods.find(
    (pod) => !pod.spec.nodeName && podCondition(pod, 'PodScheduled')?.status === 'False',
  );
  if (refusedPod === undefined) return undefined;
  if (pods.length < minMember) {
    const few = `there are ${pods.length} pods, ${minMember} are needed`;
    return { type: 'Unschedulable', reason: 'NotEnoughTasks', message: few };
  }
  const why = podCondition(refusedPod, 'PodScheduled')?.message ?? '';
  return { type: 'Unschedulable', reason: 'NotEnoughResources', message: `${message}: ${why}` };
};

const conditionsOf = (
  before: Conditions,
  observed: Observation | undefined,
  now: number,
): Conditions => {
  if (observed === undefined) return before;
  const formerCondition = before.find(({ type }) => type === observed.type);
  const lastTransitionTime = formerCondition?.lastTransitionTime ?? formatTime(now);
  const others = before.filter(({ type }) => type !== 'Unschedulable' && type !== 'Scheduled');
  return [...others, { ...observed, status: 'True', lastTransitionTime }];
};

/** Phase, counts and conditions of a group, from its pods. */
export const podGroupStatus = (
  group: PodGroup,
  members: readonly Pod[],
  now: number,
): PodGroupStatus => {
  const pods = members.filter((pod) => !isTerminating(pod));
  const count = (phase: string): number =>
    pods.filter(({ status }) => (status?.phase ?? 'Pending') === phase).length;
  const counts = {
    running: count('Running'),
    succeeded: count('Succeeded'),
    failed: count('Failed'),
  };
  const conditions = conditionsOf(group.status?.conditions ?? [], observe(group, pods), now);
  return {
    ...group.status,
    phase: phaseOf(group, { ...counts, pending: count('Pending') }),
    ...counts,
    ...present({ conditions: unlessEmpty(conditions) }),
  };
};
