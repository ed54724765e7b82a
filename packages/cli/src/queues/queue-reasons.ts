import type { ResourceBinding } from '@perigee/api/kinds/placement/resource-binding';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import { findCondition } from '@perigee/api/values/conditions';
import { formatResourceList } from '@perigee/api/values/resource-list';
import { formatTime } from '@perigee/api/values/time';
import { runsPods } from '@perigee/scheduling/data/concerned-work';
import type { Binding } from '@perigee/scheduling/placement/binding/binding';
import { quantitiesOf } from '@perigee/scheduling/queues/amounts';
import { keyOfBinding } from '@perigee/scheduling/queues/dispatch-snapshot';
import type { DispatchState } from '@perigee/scheduling/queues/dispatch-state';
import { heldWord } from '@perigee/scheduling/queues/held-message';
import { standingInQueue } from '@perigee/scheduling/queues/work-of-binding';

type Written = { readonly [resource: string]: string };

/** How work stands with its queue, for people and programs. */
export interface QueueReasons {
  readonly work: string;
  /** Absent when it is in none. */
  readonly queue?: string;
  readonly state: 'in no queue' | 'waiting' | 'released' | 'running' | 'over';
  /** Since when it waits, or when it was let through. */
  readonly since?: string;
  readonly reason?: string;
  readonly message?: string;
  /** Counts from 1. */
  readonly position?: number;
  readonly inLine?: number;
  readonly asks?: Written;
  /** The priority class that it names and that does not exist. */
  readonly missingPriorityClass?: string;
  readonly clusters?: readonly string[];
  /** What the queue has, and may have. */
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

/** How something stands that waits in no queue: whatever is in one has a namespace, and runs pods. */
export const reasonsInNoQueue = (binding: Binding): QueueReasons => ({
  work: nameOf(binding),
  state: 'in no queue',
  message: whyInNone(binding),
});

/** What its condition says, of which nobody may see more who cannot read all queues and work. */
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
  const admitted = findCondition(binding.status?.conditions, 'Admitted');
  return {
    work,
    queue,
    state: 'waiting',
    since: formatTime(standing.work.since),
    asks: formatResourceList(quantitiesOf(standing.copy)),
    ...(admitted === undefined ? {} : { reason: admitted.reason, message: admitted.message }),
  };
};

/** The same as things are now, by the very decision of the dispatcher. */
export const reasonsNow = (
  binding: ResourceBinding,
  queue: Queue | undefined,
  state: DispatchState,
  now: number,
): QueueReasons => {
  const told = reasonsByCondition(binding);
  if (told.state !== 'waiting' || told.queue === undefined) return told;
  const key = keyOfBinding(binding);
  const inLine = state.countsOf(told.queue).pending;
  // Whatever can go now, goes before it.
  for (const granted of state.choose(now)) {
    if (granted.key !== key) continue;
    return { ...told, reason: 'Admitted', message: 'it is its turn now', position: 1, inLine };
  }
  const verdict = state.verdictOf(key);
  const word = verdict && heldWord(verdict, told.queue, now);
  const { position } = { position: undefined, ...verdict };
  return {
    ...told,
    ...(word === undefined ? {} : { reason: word.reason, message: word.text }),
    ...(position === undefined ? {} : { position }),
    inLine,
    used: formatResourceList(quantitiesOf(state.usedBy(told.queue))),
    ...(queue?.spec.capability === undefined
      ? {}
      : { capability: queue.spec.capability as Written }),
  };
};
