import type { Queue } from '@perigee/api/kinds/queues/queue';
import {
  parseResourceList,
  type ResourceList,
  sumResourceLists,
} from '@perigee/api/values/resource-list';
import { type FieldError, forbidden, invalid, missing } from '@perigee/schema/errors';
import { sameJson } from '@perigee/schema/same-json';
import { compareQuantities, ZERO } from '@perigee/schema/values/quantity';
import { formatQuantity } from '@perigee/schema/values/quantity-text';
import { ancestorsOf, levelsBelow, MOST_LEVELS, type QueueFamily } from './queue-family.ts';
import { DEFAULT_QUEUE, parentOf, ROOT_QUEUE } from './queue-names.ts';
import { namespacesProblems } from './queue-rights.ts';

/** The spec fields of a Queue that hold amounts. */
type AmountField = 'capability' | 'deserved' | 'guarantee';

const PATHS: { readonly [field in AmountField]: string } = {
  capability: 'spec.capability',
  deserved: 'spec.deserved',
  guarantee: 'spec.guarantee.resource',
};

const pathOfAmount = (field: AmountField, resource: string): string =>
  `${PATHS[field]}[${resource}]`;

const amountsOf = ({ spec }: Pick<Queue, 'spec'>, field: AmountField): ResourceList =>
  parseResourceList((field === 'guarantee' ? spec.guarantee?.resource : spec[field]) ?? {});

/** True if the queue has work in any state. */
const hasWork = ({ status = {} }: Queue): boolean =>
  [status.pending, status.inqueue, status.running, status.unknown].some(
    (count) => (count ?? 0) > 0,
  );

/** True if the parents of the queue lead back to it. */
const isAboveItself = (queue: Queue, family: QueueFamily): boolean =>
  ancestorsOf(queue, family).some(({ metadata }) => metadata.name === queue.metadata.name);

const parentProblems = (
  queue: Queue,
  old: Queue | undefined,
  family: QueueFamily,
): readonly FieldError[] => {
  const { name } = queue.metadata;
  const parent = parentOf(queue);
  if (name === ROOT_QUEUE) {
    return queue.spec.parent ? [forbidden('spec.parent', 'nothing is above the root')] : [];
  }
  if (parent === undefined || (old !== undefined && parentOf(old) === parent)) return [];
  const above = family.get(parent);
  // The root works without a Queue object.
  if (above === undefined) return parent === ROOT_QUEUE ? [] : [missing('spec.parent', parent)];
  if (isAboveItself(queue, family)) {
    return [invalid('spec.parent', parent, `${parent} is itself a part of ${name}`)];
  }
  const levels = ancestorsOf(queue, family).length + 1 + levelsBelow(name, family);
  if (levels > MOST_LEVELS) {
    return [
      invalid(
        'spec.parent',
        parent,
        `that makes ${levels} levels of queues, and ${MOST_LEVELS} is the most`,
      ),
    ];
  }
  const isLeaf = parent !== ROOT_QUEUE && family.childrenOf(parent).length === 0;
  return isLeaf && hasWork(above)
    ? [
        forbidden(
          'spec.parent',
          `work is in ${parent}, and only a queue without others below it has work: wait until it is empty`,
        ),
      ]
    : [];
};

/** Requires that, per resource, the nearest ancestor with a limit allows at least as much. */
const capabilityAbove = (queue: Queue, family: QueueFamily): readonly FieldError[] => {
  const above = ancestorsOf(queue, family);
  return [...amountsOf(queue, 'capability')].flatMap(([resource, amount]) => {
    const limiter = above.find((one) => amountsOf(one, 'capability').has(resource));
    const limit = limiter && amountsOf(limiter, 'capability').get(resource);
    return limit !== undefined && compareQuantities(amount, limit) > 0
      ? [
          invalid(
            pathOfAmount('capability', resource),
            formatQuantity(amount),
            `the capability of ${limiter?.metadata.name}, which it is a part of, is ${formatQuantity(limit)}`,
          ),
        ]
      : [];
  });
};

/** The nearest descendants that limit a resource. */
function* firstToLimit(
  name: string,
  resource: string,
  family: QueueFamily,
  depth = 0,
): Generator<Queue> {
  if (depth > MOST_LEVELS) return;
  for (const child of family.childrenOf(name)) {
    if (amountsOf(child, 'capability').has(resource)) yield child;
    else yield* firstToLimit(child.metadata.name, resource, family, depth + 1);
  }
}

const capabilityBelow = (queue: Queue, family: QueueFamily): readonly FieldError[] =>
  [...amountsOf(queue, 'capability')].flatMap(([resource, limit]) => {
    for (const below of firstToLimit(queue.metadata.name, resource, family)) {
      const amount = amountsOf(below, 'capability').get(resource);
      if (amount === undefined || compareQuantities(amount, limit) <= 0) continue;
      return [
        invalid(
          pathOfAmount('capability', resource),
          formatQuantity(limit),
          `${below.metadata.name}, which is a part of it, has ${formatQuantity(amount)}`,
        ),
      ];
    }
    return [];
  });

/**
 * Requires that the children's amounts sum up to no more than the parent's, where the parent sets
 * one.
 */
const sumProblems = (
  whole: Queue,
  parts: readonly Queue[],
  field: AmountField,
  blame: 'whole' | Queue,
): readonly FieldError[] => {
  const limits = amountsOf(whole, field);
  // Guarantees of children are also bounded by the parent's capability.
  const most = field === 'guarantee' ? amountsOf(whole, 'capability') : limits;
  const sum = sumResourceLists(parts.map((part) => amountsOf(part, field)));
  return [...sum].flatMap(([resource, amount]) => {
    const limit = limits.get(resource) ?? most.get(resource);
    if (limit === undefined || compareQuantities(amount, limit) <= 0) return [];
    const [sums, has] = [formatQuantity(amount), formatQuantity(limit)];
    if (blame === 'whole') {
      const path = pathOfAmount(limits.has(resource) ? field : 'capability', resource);
      return [invalid(path, has, `the queues that are parts of it have ${sums} together`)];
    }
    const own = amountsOf(blame, field).get(resource);
    const message = `with the other parts of ${whole.metadata.name} that makes ${sums}, and it has ${has}`;
    return own === undefined
      ? []
      : [invalid(pathOfAmount(field, resource), formatQuantity(own), message)];
  });
};

const SHARED: readonly AmountField[] = ['guarantee', 'deserved'];

const shareProblems = (queue: Queue, family: QueueFamily): readonly FieldError[] => {
  const { name } = queue.metadata;
  const parent = parentOf(queue);
  const above = parent === undefined ? undefined : family.get(parent);
  const siblings = parent === undefined ? [] : family.childrenOf(parent);
  const parts = [...siblings.filter(({ metadata }) => metadata.name !== name), queue];
  return SHARED.flatMap((field) => [
    ...(above === undefined ? [] : sumProblems(above, parts, field, queue)),
    ...sumProblems(queue, family.childrenOf(name), field, 'whole'),
  ]);
};

/** The CRD has the same rule without the numbers; it holds where the webhook is absent. */
const ownAmountProblems = (queue: Queue): readonly FieldError[] => {
  const [guarantee, deserved, capability] = (['guarantee', 'deserved', 'capability'] as const).map(
    (field) => amountsOf(queue, field),
  ) as [ResourceList, ResourceList, ResourceList];
  const below = [...guarantee].flatMap(([resource, amount]) => {
    const due = deserved.get(resource) ?? ZERO;
    return compareQuantities(amount, due) > 0
      ? [
          invalid(
            pathOfAmount('deserved', resource),
            formatQuantity(due),
            `the guarantee is ${formatQuantity(amount)}, and at least as much is deserved`,
          ),
        ]
      : [];
  });
  const above = [...deserved].flatMap(([resource, due]) => {
    const limit = capability.get(resource);
    return limit !== undefined && compareQuantities(due, limit) > 0
      ? [
          invalid(
            pathOfAmount('capability', resource),
            formatQuantity(limit),
            `${formatQuantity(due)} is deserved, and it may use at least as much`,
          ),
        ]
      : [];
  });
  return [...below, ...above];
};

/** Validates a queue against the others; `family` still holds the old version of it. */
export const queueProblems = (
  queue: Queue,
  old: Queue | undefined,
  family: QueueFamily,
): readonly FieldError[] => {
  const unreadable = namespacesProblems(queue);
  if (unreadable.length > 0 || (old !== undefined && sameJson(old.spec, queue.spec))) {
    return unreadable;
  }
  const problemsOfParent = parentProblems(queue, old, family);
  if (problemsOfParent.length > 0) return problemsOfParent;
  return [
    ...ownAmountProblems(queue),
    ...capabilityAbove(queue, family),
    ...capabilityBelow(queue, family),
    ...shareProblems(queue, family),
  ];
};

/** The reason why a queue cannot be deleted; undefined if it can. */
export const queueDeletionProblem = (queue: Queue, family: QueueFamily): string | undefined => {
  const { name } = queue.metadata;
  if (name === ROOT_QUEUE || name === DEFAULT_QUEUE) return `the queue ${name} is always there`;
  const [child] = family.childrenOf(name);
  if (child !== undefined) return `the queue ${child.metadata.name} is a part of it`;
  const { pending = 0, inqueue = 0, running = 0 } = queue.status ?? {};
  return hasWork(queue)
    ? `work is in the queue: ${running + inqueue} running, ${pending} waiting; close it, and wait until it is empty`
    : undefined;
};
