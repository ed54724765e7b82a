import type { Queue, QueueStatus } from '@perigee/api/kinds/queues/queue';
import { formatResourceList } from '@perigee/api/values/resource-list';
import { type Amounts, quantitiesOf } from './amounts.ts';
import type { QueueCounts } from './work-counts.ts';

/** `true` closes a queue: running work continues, and nothing new is released. */
export const CLOSED = 'queue.perigee.io/closed';

export const isClosed = ({ metadata }: Pick<Queue, 'metadata'>): boolean =>
  metadata.annotations?.[CLOSED] === 'true';

/** Bounds the status: any work may ask for thousands of resources that nobody has, each by another name. */
const MOST_RESOURCES = 256;

/** The usage in the status: first of what the queue limits and of what every node has. */
const reportedUsage = ({ spec }: Queue, usage: Amounts): Amounts => {
  if (usage.size <= MOST_RESOURCES) return usage;
  const { capability, deserved, guarantee } = spec;
  const namedResources = [capability, deserved, guarantee?.resource].flatMap((one) =>
    Object.keys(one ?? {}),
  );
  const first = ['cpu', 'memory', 'pods', ...namedResources].filter((resource) =>
    usage.has(resource),
  );
  const resources = new Set([...first, ...usage.keys().take(MOST_RESOURCES)]);
  const reportedResources = [...resources].slice(0, MOST_RESOURCES);
  return new Map(reportedResources.map((resource) => [resource, usage.get(resource) ?? 0]));
};

/** The desired status of a queue. */
export const queueStatusOf = (
  queue: Queue,
  { pending, inqueue, running, completed }: QueueCounts,
  usage: Amounts,
): QueueStatus => ({
  ...queue.status,
  state: !isClosed(queue) ? 'Open' : running + inqueue > 0 || usage.size > 0 ? 'Closing' : 'Closed',
  pending,
  inqueue,
  running,
  completed,
  allocated: formatResourceList(quantitiesOf(reportedUsage(queue, usage))),
});
