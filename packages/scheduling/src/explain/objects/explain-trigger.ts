import { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { WorkloadRebalancer } from '@perigee/api/kinds/placement/workload-rebalancer';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import { findCondition } from '@perigee/api/values/conditions';
import {
  conditionParts,
  fact,
  type ObjectExplanation,
  type ObjectState,
} from './object-explanation.ts';

/** Limit of targets: a trigger may have hundreds, and the commands show them all. */
const MOST_TARGETS = 10;

const TRIGGER_STATES: { readonly [phase: string]: ObjectState } = {
  Failed: 'failed',
  Success: 'well',
};

/** Explains the result of a trigger, and the targets that it could not move. */
export const explainTrigger = ({ metadata, status }: ScheduleTrigger): ObjectExplanation => {
  const { phase = 'Running', counts, targets = [], standing, conditions = [] } = status ?? {};
  const complete = findCondition(conditions, 'Complete');
  const isStanding = complete?.reason === 'Standing';
  const stuckTargets = targets.filter(({ result }) =>
    ['Failed', 'Held', 'Skipped'].includes(result),
  );
  const outcome =
    counts === undefined
      ? ''
      : `${counts.scheduled} of ${counts.total} moved, ${counts.noChange} stayed where they were, ${counts.skipped} skipped, ${counts.held} held, ${counts.failed} failed`;
  return {
    resource: {
      apiVersion: apiVersionOf(ScheduleTrigger),
      kind: 'ScheduleTrigger',
      name: metadata.name,
    },
    state: isStanding ? 'well' : (TRIGGER_STATES[phase] ?? 'waiting'),
    summary: complete?.message ?? 'no controller has looked at it yet',
    ...conditionParts('ScheduleTrigger', complete),
    facts: [
      ...fact('targets', outcome),
      ...fact('next run', standing?.nextRunTime),
      ...stuckTargets.slice(0, MOST_TARGETS).map((target) => ({
        name: `${target.kind} ${target.namespace === undefined ? '' : `${target.namespace}/`}${target.name}`,
        value: `${target.result}: ${target.message ?? target.reason ?? ''}`,
      })),
    ],
    conditions,
    commands: [`kubectl describe scheduletrigger ${metadata.name}`],
  };
};

/** Explains the workloads that a rebalancer triggered. */
export const explainRebalancer = ({
  metadata,
  spec,
  status,
}: WorkloadRebalancer): ObjectExplanation => {
  const { observedWorkloads = [], finishTime } = status ?? {};
  const failures = observedWorkloads.filter(({ result }) => result === 'Failed');
  const successCount = observedWorkloads.filter(({ result }) => result === 'Successful').length;
  const total = spec.workloads.length;
  return {
    resource: {
      apiVersion: apiVersionOf(WorkloadRebalancer),
      kind: 'WorkloadRebalancer',
      name: metadata.name,
    },
    state: failures.length > 0 ? 'failed' : finishTime === undefined ? 'waiting' : 'well',
    summary: `${successCount} of ${total} ${total === 1 ? 'resource' : 'resources'} told to be scheduled afresh${failures.length > 0 ? `, ${failures.length} failed` : ''}`,
    facts: failures.slice(0, MOST_TARGETS).map(({ workload, reason }) => ({
      name: `${workload.kind} ${workload.namespace === undefined ? '' : `${workload.namespace}/`}${workload.name}`,
      value: reason ?? 'Failed',
    })),
    conditions: [],
    commands: [],
  };
};
