import type { Queue } from '@perigee/api/kinds/queues/queue';

/** The ancestor of all queues. */
export const ROOT_QUEUE = 'root';

/** The queue of work that must be queued but names none. */
export const DEFAULT_QUEUE = 'default';

/** The name of the parent queue; undefined for the root. */
export const parentOf = ({
  metadata,
  spec,
}: Pick<Queue, 'metadata' | 'spec'>): string | undefined =>
  metadata.name === ROOT_QUEUE ? undefined : spec.parent || ROOT_QUEUE;
