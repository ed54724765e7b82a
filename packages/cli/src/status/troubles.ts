import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { OperationCondition } from '@perigee/api/kinds/flows/operation-status';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { ObjectMeta } from '@perigee/api/meta/object-meta';
import { findCondition } from '@perigee/api/values/conditions';
import { claimedData } from '@perigee/scheduling/data/describe-data';
import { todoOf } from '@perigee/scheduling/explain/objects/object-explanation';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import { isClosed } from '@perigee/scheduling/queues/queue-state';
import { present } from '@perigee/schema/present';
import type { Trouble } from './fleet-status.ts';

const subjectOf = (kind: string, { namespace, name }: ObjectMeta) => ({
  kind,
  ...present({ namespace }),
  name,
});

/** A claim without data that holds work back. */
export const claimTrouble = (claim: DataSourceClaim): Trouble | undefined => {
  const { metadata, status } = claim;
  if (status?.boundDataSource !== undefined) return undefined;
  const boundCondition = findCondition(status?.conditions, 'Bound');
  return {
    ...subjectOf('DataSourceClaim', metadata),
    since: boundCondition?.lastTransitionTime ?? metadata.creationTimestamp,
    reason: boundCondition?.reason ?? '(undecided)',
    message: boundCondition?.message ?? `nobody has looked for ${claimedData(claim)} yet`,
  };
};

/** A step that waits because its user asked for it is no problem. */
const isStuck = (condition: OperationCondition): boolean =>
  condition.status === 'False' &&
  condition.reason !== 'Suspended' &&
  todoOf('DataOperation', condition) !== undefined;

/** A cluster's report about an operation that does not get on, such as a missing Secret. */
const stalledTrouble = (operation: Operation): Trouble | undefined => {
  const stalledCluster = (statusOf(operation).clusters ?? []).find(
    ({ phase, message }) => (phase === 'Executing' || phase === 'Pending') && message !== undefined,
  );
  return (
    stalledCluster && {
      ...subjectOf(operation.kind, operation.metadata),
      since: stalledCluster.startTime ?? operation.metadata.creationTimestamp,
      reason: 'Stalled',
      message: `${stalledCluster.name}: ${stalledCluster.message}`,
    }
  );
};

/** An operation that failed, or that waits for something that does not come by itself. */
export const operationTrouble = (operation: Operation): Trouble | undefined => {
  const { phase, conditions } = statusOf(operation);
  if (phase === 'Complete') return undefined;
  const condition =
    phase === 'Failed' ? findCondition(conditions, 'Failed') : conditions.find(isStuck);
  if (phase !== 'Failed' && condition === undefined) return stalledTrouble(operation);
  return {
    ...subjectOf(operation.kind, operation.metadata),
    since: condition?.lastTransitionTime ?? operation.metadata.creationTimestamp,
    reason: condition?.reason ?? 'Failed',
    message: condition?.message ?? '',
  };
};

export const triggerTrouble = ({ metadata, status }: ScheduleTrigger): Trouble | undefined => {
  if (status?.phase !== 'Failed') return undefined;
  const [condition] = status.conditions ?? [];
  return {
    ...subjectOf('ScheduleTrigger', metadata),
    since: condition?.lastTransitionTime ?? metadata.creationTimestamp,
    reason: condition?.reason ?? 'TargetsFailed',
    message: condition?.message ?? '',
  };
};

/** A closed queue is only a problem with a backlog. */
export const queueTrouble = (queue: Queue): Trouble | undefined => {
  const { metadata, status } = queue;
  const backlog = status?.pending ?? 0;
  if (!isClosed(queue) || backlog === 0) return undefined;
  return {
    ...subjectOf('Queue', metadata),
    since: metadata.creationTimestamp,
    reason: 'QueueClosed',
    message: `it is closed, and ${backlog} ${backlog === 1 ? 'workload waits' : 'workloads wait'} in it`,
  };
};
