import type { ObjectMeta } from '@perigee/api/meta/object-meta';

/** The scheduler name of a policy that names no other. */
export const DEFAULT_SCHEDULER = 'default-scheduler';

/**
 * Annotation with the scheduler that the distributor chose, which distinguishes its choice from a policy's.
 */
export const DISTRIBUTED_TO = 'globalscheduler.com/distributed-to';

export const distributedTo = ({
  annotations,
}: Pick<ObjectMeta, 'annotations'>): string | undefined => annotations?.[DISTRIBUTED_TO];
