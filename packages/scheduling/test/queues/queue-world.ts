import { parseResourceList, type WrittenResourceList } from '@perigee/api/values/resource-list';
import { type Amounts, amountsOf, NOTHING } from '@perigee/scheduling/queues/amounts';
import type { QueueFacts } from '@perigee/scheduling/queues/queue-facts';
import { ROOT_QUEUE } from '@perigee/scheduling/queues/queue-names';
import type { Fits, WorkItem } from '@perigee/scheduling/queues/work-item';
import { WorkQueues } from '@perigee/scheduling/queues/work-queues';

export const amounts = (written: WrittenResourceList): Amounts =>
  amountsOf(parseResourceList(written));

/** Room without end. */
export const fitsAnywhere: Fits = () => ({ kind: 'fits', clusters: { member1: 1 } });

export interface QueueSketch extends Partial<Omit<QueueFacts, Limit>> {
  readonly name: string;
  readonly capability?: WrittenResourceList;
  readonly deserved?: WrittenResourceList;
  readonly guarantee?: WrittenResourceList;
}
type Limit = 'capability' | 'deserved' | 'guarantee';

export const queueOf = ({ capability, deserved, guarantee, ...rest }: QueueSketch): QueueFacts => ({
  parent: ROOT_QUEUE,
  weight: 1,
  priority: 0,
  isStrict: false,
  isOpen: true,
  isReclaimable: true,
  ...rest,
  capability: capability === undefined ? NOTHING : amounts(capability),
  deserved: deserved === undefined ? NOTHING : amounts(deserved),
  guarantee: guarantee === undefined ? NOTHING : amounts(guarantee),
});

export interface WorkSketch extends Partial<Omit<WorkItem, 'requests'>> {
  readonly key: string;
  readonly queue: string;
  readonly requests?: WrittenResourceList;
}

export const workOf = ({ requests = {}, ...rest }: WorkSketch): WorkItem => ({
  priority: 0,
  createdAt: 0,
  shape: '',
  isGang: true,
  claimsSettled: true,
  ...rest,
  requests: amounts(requests),
});

export const worldOf = (
  queues: readonly QueueSketch[],
  work: readonly WorkSketch[] = [],
  total: WrittenResourceList = { cpu: 1000, memory: '1000Gi' },
): WorkQueues => {
  const world = new WorkQueues();
  world.setTotal(amounts(total));
  for (const sketch of queues) world.setQueue(queueOf(sketch));
  for (const sketch of work) world.setItem(workOf(sketch));
  return world;
};

/** Releases all that can be, and says in which order. */
export const releaseAll = (
  world: WorkQueues,
  fits: Fits = fitsAnywhere,
  now = 0,
): readonly string[] => {
  const released: string[] = [];
  for (;;) {
    const chosen = world.chooseNext(fits, now);
    if (chosen === undefined) return released;
    released.push(chosen.item.key);
  }
};
