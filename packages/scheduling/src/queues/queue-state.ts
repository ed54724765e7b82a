import type { Queue } from '@perigee/api/kinds/queues/queue';

/** Closes a queue when it is `true`: what it has runs on, and nothing new is let through. */
export const CLOSED = 'queue.perigee.io/closed';

export const isClosed = ({ metadata }: Pick<Queue, 'metadata'>): boolean =>
  metadata.annotations?.[CLOSED] === 'true';
