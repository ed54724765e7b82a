import type { Queue } from '@perigee/api/kinds/queues/queue';

/** The queue that all others are a part of. */
export const ROOT_QUEUE = 'root';

/** The queue of work that has to be in one and names none. */
export const DEFAULT_QUEUE = 'default';

/** The queue that another is a part of; nothing above the root. */
export const parentOf = ({
  metadata,
  spec,
}: Pick<Queue, 'metadata' | 'spec'>): string | undefined =>
  metadata.name === ROOT_QUEUE ? undefined : spec.parent || ROOT_QUEUE;
