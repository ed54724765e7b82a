import type { ObjectMeta } from '@perigee/api/meta/object-meta';

/** The scheduler of work whose policy names no other. */
export const DEFAULT_SCHEDULER = 'default-scheduler';

/** Says which scheduler the distributor has given a binding to, so that it can be told from a policy's wish. */
export const DISTRIBUTED_TO = 'globalscheduler.com/distributed-to';

export const distributedTo = ({
  annotations,
}: Pick<ObjectMeta, 'annotations'>): string | undefined => annotations?.[DISTRIBUTED_TO];
