import type { Queue, QueueStatus } from '@perigee/api/kinds/queues/queue';
import { formatResourceList } from '@perigee/api/values/resource-list';
import { type Amounts, quantitiesOf } from './amounts.ts';
import type { QueueCounts } from './work-counts.ts';

/** `true` closes a queue: running work continues, and nothing new is released. */
export const CLOSED = 'queue.perigee.io/closed';

export const isClosed = ({ metadata }: Pick<Queue, 'metadata'>): boolean =>
  metadata.annotations?.[CLOSED] === 'true';

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
  allocated: formatResourceList(quantitiesOf(usage)),
});
