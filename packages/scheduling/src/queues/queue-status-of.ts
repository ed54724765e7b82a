import type { Queue, QueueStatus } from '@perigee/api/kinds/queues/queue';
import { formatResourceList } from '@perigee/api/values/resource-list';
import { type Amounts, quantitiesOf } from './amounts.ts';
import { isClosed } from './queue-state.ts';
import type { QueueCounts } from './work-counts.ts';

/** The desired status of a queue. */
export const queueStatusOf = (
  queue: Queue,
  { pending, inqueue, running, completed }: QueueCounts,
  used: Amounts,
): QueueStatus => ({
  ...queue.status,
  state: !isClosed(queue) ? 'Open' : running + inqueue > 0 || used.size > 0 ? 'Closing' : 'Closed',
  pending,
  inqueue,
  running,
  completed,
  allocated: formatResourceList(quantitiesOf(used)),
});
