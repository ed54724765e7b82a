import type { Queue } from '@perigee/api/kinds/queues/queue';
import { parseResourceList } from '@perigee/api/values/resource-list';
import { type Amounts, amountsOf, NOTHING } from './amounts.ts';
import { parentOf, ROOT_QUEUE } from './queue-names.ts';

/** The fields of a Queue that decide about order and limits. */
export interface QueueFacts {
  readonly name: string;
  readonly parent: string;
  readonly weight: number;
  readonly priority: number;
  readonly isStrict: boolean;
  readonly isOpen: boolean;
  readonly isReclaimable: boolean;
  /** Resources that it does not name are unlimited. */
  readonly capability: Amounts;
  readonly deserved: Amounts;
  readonly guarantee: Amounts;
}

/** Keeps zeros: a limit of zero is a limit, while an amount of zero is dropped. */
const limitsOf = (capability: Queue['spec']['capability']): Amounts => {
  const list = parseResourceList(capability);
  const amounts = amountsOf(list);
  return new Map(Array.from(list.keys(), (resource) => [resource, amounts.get(resource) ?? 0]));
};

/** Caps a guarantee by the capability. */
const within = (amounts: Amounts, limits: Amounts): Amounts =>
  new Map(
    Array.from(amounts, ([resource, amount]) => {
      const limit = limits.get(resource) ?? amount;
      return [resource, amount < limit ? amount : limit];
    }),
  );

/** Enforces guarantee ≤ capability, whatever the spec has. */
export const consistentFacts = (facts: QueueFacts): QueueFacts => ({
  ...facts,
  guarantee: within(facts.guarantee, facts.capability),
});

export const factsOfQueue = ({ metadata, spec, status }: Queue): QueueFacts => ({
  name: metadata.name,
  parent: parentOf({ metadata, spec }) ?? '',
  weight: spec.weight,
  priority: spec.priority ?? 0,
  isStrict: spec.dequeueStrategy === 'fifo',
  isOpen: status?.state === undefined || status.state === 'Open' || status.state === 'Unknown',
  isReclaimable: spec.reclaimable,
  capability: limitsOf(spec.capability),
  deserved: amountsOf(parseResourceList(spec.deserved)),
  guarantee: amountsOf(parseResourceList(spec.guarantee?.resource)),
});

/** The root contains all queues. It has no limits unless a Queue of that name sets them. */
export const rootFacts: QueueFacts = {
  name: ROOT_QUEUE,
  parent: '',
  weight: 1,
  priority: 0,
  isStrict: false,
  isOpen: true,
  isReclaimable: false,
  capability: NOTHING,
  deserved: NOTHING,
  guarantee: NOTHING,
};
