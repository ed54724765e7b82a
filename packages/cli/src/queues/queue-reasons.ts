import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { findCondition } from '@perigee/api/values/conditions';
import { formatResourceList } from '@perigee/api/values/resource-list';
import { runsPods } from '@perigee/scheduling/data/concerned-work';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { quantitiesOf } from '@perigee/scheduling/queues/amounts';
import { keyOfBinding } from '@perigee/scheduling/queues/dispatch-snapshot';
import type { DispatchState } from '@perigee/scheduling/queues/dispatch-state';
import { heldWord } from '@perigee/scheduling/queues/held-message';
import { standingInQueue } from '@perigee/scheduling/queues/work-of-binding';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';
import { formatTime } from '@perigee/schema/values/time';

type Written = { readonly [resource: string]: string };

/** The state of work in its queue, and the reasons for it. */
export interface QueueReasons {
  readonly work: string;
  /** Absent when it has no queue. */
  readonly queue?: string;
  readonly state: 'in no queue' | 'waiting' | 'released' | 'running' | 'over';
  /** Start of the wait, or time of admission. */
  readonly since?: string;
  readonly reason?: string;
  readonly message?: string;
  /** The position in the queue, from 1. */
  readonly position?: number;
  readonly inLine?: number;
  /** Of all copies together: duplicated work has one in each cluster. */
  readonly asks?: Written;
  /** Of one copy, where there are several. */
  readonly asksEach?: Written;
  /** The priority class that the work names, if it does not exist. */
  readonly missingPriorityClass?: string;
  readonly clusters?: readonly string[];
  /** The use of the queue, and its limit. */
  readonly used?: Written;
  readonly capability?: Written;
}

const nameOf = ({ spec: { resource } }: Binding): string => {
  const { kind, namespace, name } = resource;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
};

const whyInNone = ({ spec }: Binding): string => {
  if (spec.resource.namespace === undefined) {
    return 'it has no namespace, and only work in a namespace waits in queues';
  }
  return runsPods(spec)
    ? 'it was put into none when its binding was last written. The label volcano.sh/queue-name names the queue of work'
    : 'it runs no pods, and only what does waits in queues';
};

/** The state of a workload without a queue: only namespaced workloads with pods have one. */
export const reasonsInNoQueue = (binding: Binding): QueueReasons => ({
  work: nameOf(binding),
  state: 'in no queue',
  message: whyInNone(binding),
});

/** The state according to the work's condition: all that a user can see who may not list all queues and work. */
export const reasonsByCondition = (binding: ResourceBinding): QueueReasons => {
  const standing = standingInQueue(binding);
  const work = nameOf(binding);
  if (standing === undefined) return reasonsInNoQueue(binding);
  const { queue } = standing.work;
  if (standing.kind === 'over') return { work, queue, state: 'over' };
  if (standing.kind === 'running') {
    const { startedAt, amounts, parts, isPlaced } = standing;
    return {
      work,
      queue,
      state: isPlaced ? 'running' : 'released',
      since: formatTime(startedAt),
      asks: formatResourceList(quantitiesOf(amounts)),
      clusters: parts.map(({ cluster }) => cluster),
    };
  }
  const admittedCondition = findCondition(binding.status?.conditions, 'Admitted');
  return {
    work,
    queue,
    state: 'waiting',
    since: formatTime(standing.work.since),
    asks: formatResourceList(quantitiesOf(standing.copy)),
    ...present({ reason: admittedCondition?.reason, message: admittedCondition?.message }),
  };
};

/** The current state, by the dispatcher's own decision. */
export const reasonsNow = (
  binding: ResourceBinding,
  queue: Queue | undefined,
  state: DispatchState,
  now: number,
): QueueReasons => {
  const reasons = reasonsByCondition(binding);
  if (reasons.state !== 'waiting' || reasons.queue === undefined) return reasons;
  const key = keyOfBinding(binding);
  const inLine = state.countsOf(reasons.queue).pending;
  // Simulates the admissions: work admitted now goes first.
  for (const grant of state.choose(now)) {
    if (grant.key !== key) continue;
    return { ...reasons, reason: 'Admitted', message: 'it is its turn now', position: 1, inLine };
  }
  const verdict = state.verdictOf(key);
  const word = verdict && heldWord(verdict, reasons.queue, now);
  const { position } = { position: undefined, ...verdict };
  const requests = state.requestsOf(key);
  const asks = requests && formatResourceList(quantitiesOf(requests));
  return {
    ...reasons,
    ...(asks !== undefined && !sameJson(asks, reasons.asks)
      ? { asks, asksEach: reasons.asks ?? {} }
      : {}),
    ...present({ reason: word?.reason, message: word?.text, position }),
    inLine,
    used: formatResourceList(quantitiesOf(state.usedBy(reasons.queue))),
    ...present({ capability: queue?.spec.capability as Written | undefined }),
  };
};
