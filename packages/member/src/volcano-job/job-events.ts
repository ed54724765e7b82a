import type { Job } from '@perigee/api/kinds/groups/job';
import type { JobPolicy } from '@perigee/api/kinds/groups/job-policy';
import type { Pod } from '@perigee/kubernetes/core/pod';
import { parseDuration } from '@perigee/schema/values/duration';
import { parseTime } from '@perigee/schema/values/time';
import { isTerminating, restartsOf } from '../pods/pod-state.ts';
import { isOutOfSync, taskOf } from './job-pods.ts';

export type JobAction = JobPolicy['action'];
type EventName = NonNullable<JobPolicy['event']>;

/** An event that a policy may react to. */
interface JobEvent {
  readonly name: EventName;
  readonly task: string;
  readonly pod: Pod | undefined;
  readonly exitCode: number;
  readonly at: number;
}

/** An action, the part of the job that it applies to, and its earliest time. */
export interface DueAction {
  readonly action: JobAction;
  readonly task: string;
  readonly pod: Pod | undefined;
  readonly at: number;
}

const endOf = ({ metadata, status }: Pod): number => {
  const end = status?.containerStatuses?.[0]?.state?.terminated?.finishedAt;
  return parseTime(end ?? metadata.creationTimestamp);
};

const eventsOfPod = (pod: Pod, maxRetry: number): readonly JobEvent[] => {
  const { metadata, status } = pod;
  const about = { task: taskOf(pod), pod, exitCode: 0 };
  const createdAt = parseTime(metadata.creationTimestamp);
  if (isTerminating(pod)) {
    const isAlive = status?.phase === 'Running' || status?.phase === 'Pending';
    const at = parseTime(metadata.deletionTimestamp ?? metadata.creationTimestamp);
    return isAlive && !isOutOfSync(pod) ? [{ ...about, name: 'PodEvicted', at }] : [];
  }
  switch (status?.phase) {
    case 'Failed': {
      const exitCode = status.containerStatuses?.[0]?.state?.terminated?.exitCode ?? 0;
      return [{ ...about, name: 'PodFailed', exitCode, at: endOf(pod) }];
    }
    case 'Unknown':
      return [{ ...about, name: 'Unknown', at: createdAt }];
    case 'Pending':
      return [{ ...about, name: 'PodPending', at: createdAt }];
    default:
      return restartsOf(pod) >= maxRetry && restartsOf(pod) > 0
        ? [{ ...about, name: 'TaskFailed', at: createdAt }]
        : [];
  }
};

/** Derives events from the state of the pods; repeating them is harmless. */
const eventsOf = ({ spec }: Job, pods: readonly Pod[]): readonly JobEvent[] =>
  spec.tasks.flatMap(({ name: task, replicas, maxRetry }) => {
    const own = pods.filter((pod) => taskOf(pod) === task);
    const succeeded = own.filter(({ status }) => status?.phase === 'Succeeded');
    const isCompleted = replicas > 0 && succeeded.length >= replicas;
    return [
      ...own.flatMap((pod) => eventsOfPod(pod, maxRetry)),
      ...(isCompleted
        ? [
            {
              name: 'TaskCompleted' as const,
              task,
              pod: undefined,
              exitCode: 0,
              at: Math.max(...succeeded.map(endOf)),
            },
          ]
        : []),
    ];
  });

const answers = ({ event, events = [], exitCode, timeout }: JobPolicy, it: JobEvent): boolean => {
  if (exitCode !== undefined && exitCode === it.exitCode) return true;
  const names = event === undefined ? events : [...events, event];
  // Pending pods are normal; only the timeout makes it an event.
  if (it.name === 'PodPending' && timeout === undefined) return false;
  return names.includes(it.name) || names.includes('*');
};

/** The earliest action of the policies. Policies of a task take precedence over those of the job. */
export const dueAction = (job: Job, pods: readonly Pod[]): DueAction | undefined => {
  const { tasks, policies = [] } = job.spec;
  let first: DueAction | undefined;
  for (const event of eventsOf(job, pods)) {
    const own = tasks.find(({ name }) => name === event.task)?.policies ?? [];
    const policy = [...own, ...policies].find((candidate) => answers(candidate, event));
    if (policy === undefined) continue;
    const { task, pod } = event;
    const at = policy.timeout === undefined ? 0 : event.at + parseDuration(policy.timeout);
    if (first === undefined || at < first.at) first = { action: policy.action, task, pod, at };
  }
  return first;
};
