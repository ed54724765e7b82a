import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { findCondition } from '@perigee/api/values/conditions';
import { claimedData } from '@perigee/scheduling/data/describe-data';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { isClosed } from '@perigee/scheduling/queues/queue-state';
import type { Trouble } from './fleet-status.ts';

const named = (kind: string, { namespace, name }: ObjectMeta) => ({
  kind,
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

/** A claim without data that holds work back. */
export const claimTrouble = (claim: DataSourceClaim): Trouble | undefined => {
  const { metadata, status } = claim;
  if (status?.boundDataSource !== undefined) return undefined;
  const bound = findCondition(status?.conditions, 'Bound');
  return {
    ...named('DataSourceClaim', metadata),
    since: bound?.lastTransitionTime ?? metadata.creationTimestamp,
    reason: bound?.reason ?? '(undecided)',
    message: bound?.message ?? `nobody has looked for ${claimedData(claim)} yet`,
  };
};

export const operationTrouble = (operation: Operation): Trouble | undefined => {
  const { phase, conditions } = statusOf(operation);
  if (phase !== 'Failed') return undefined;
  const failed = findCondition(conditions, 'Failed');
  return {
    ...named(operation.kind, operation.metadata),
    since: failed?.lastTransitionTime ?? operation.metadata.creationTimestamp,
    reason: failed?.reason ?? 'Failed',
    message: failed?.message ?? '',
  };
};

export const triggerTrouble = ({ metadata, status }: ScheduleTrigger): Trouble | undefined => {
  if (status?.phase !== 'Failed') return undefined;
  const [said] = status.conditions ?? [];
  return {
    ...named('ScheduleTrigger', metadata),
    since: said?.lastTransitionTime ?? metadata.creationTimestamp,
    reason: said?.reason ?? 'TargetsFailed',
    message: said?.message ?? '',
  };
};

/** A closed queue is only a problem with a backlog. */
export const queueTrouble = (queue: Queue): Trouble | undefined => {
  const { metadata, status } = queue;
  const pending = status?.pending ?? 0;
  if (!isClosed(queue) || pending === 0) return undefined;
  return {
    ...named('Queue', metadata),
    since: metadata.creationTimestamp,
    reason: 'QueueClosed',
    message: `it is closed, and ${pending} ${pending === 1 ? 'workload waits' : 'workloads wait'} in it`,
  };
};
