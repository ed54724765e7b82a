import type { Queue } from '@perigee/api/kinds/queues/queue';

/** `true` closes a queue: running work continues, and nothing new is released. */
export const CLOSED = 'queue.perigee.io/closed';

export const isClosed = ({ metadata }: Pick<Queue, 'metadata'>): boolean =>
  metadata.annotations?.[CLOSED] === 'true';
