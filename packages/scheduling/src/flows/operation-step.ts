import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { nextStart } from './next-start.ts';
import {
  type Operation,
  policyOf,
  predecessorsOf,
  RETRY,
  statusOf,
  wantsRetry,
} from './operation.ts';
import { isStopped, reasonIn, withoutCondition } from './operation-conditions.ts';
import { type OperationFacts, type OperationStep, stay } from './operation-facts.ts';
import { executingStep, failedStep } from './operation-run.ts';
import { pendingStep, RESYNC_MS, withoutRun } from './pending-step.ts';
import { validateOperation } from './validate-operation.ts';

/** From no phase to Pending: the status of a new operation, or of a retry. */
const begin = (operation: Operation, { nowMs }: OperationFacts): OperationStep => {
  const status = statusOf(operation);
  const retriedFor = operation.metadata.annotations?.[RETRY];
  // A released step stays so: its predecessors may be gone by the time that it is retried.
  const isReleased = status.waitingFor?.operationComplete === false;
  const waits = predecessorsOf(operation).length > 0 && !isReleased;
  const freshStatus: OperationStatus = {
    ...withoutRun(status),
    phase: 'Pending',
    duration: 'Unfinished',
    conditions: withoutCondition(status.conditions, 'Complete', 'Failed', 'Started', 'Placed'),
    infos: {},
    ...present({
      retriedFor,
      waitingFor: waits ? { operationComplete: true } : undefined,
    }),
  };
  const problem = validateOperation(operation);
  return problem === undefined ? stay(freshStatus) : failedStep(freshStatus, problem, nowMs);
};

const expiry = (operation: Operation, { nowMs, isAwaited }: OperationFacts) => {
  const { ttlSecondsAfterFinished: ttl } = operation.spec;
  const [end] = statusOf(operation).conditions;
  if (ttl === undefined || policyOf(operation) !== 'Once' || end === undefined) return {};
  const leftMs = parseTime(end.lastTransitionTime) + ttl * 1000 - nowMs;
  if (leftMs > 0) return { nextMs: leftMs };
  return isAwaited() ? { nextMs: RESYNC_MS } : { isExpired: true };
};

const endedStep = (operation: Operation, facts: OperationFacts): OperationStep => {
  const { nowMs } = facts;
  const { spec } = operation;
  const status = statusOf(operation);
  const why = reasonIn(status.conditions, 'Failed');
  const isCron = policyOf(operation) === 'Cron';
  if (spec.cancel && isCron && why !== 'Cancelled') {
    return failedStep(status, { reason: 'Cancelled', message: 'it was cancelled' }, nowMs);
  }
  if (status.phase === 'Failed' && wantsRetry(operation)) {
    return begin(operation, facts);
  }
  const job = isStopped(status.conditions) ? 'unwanted' : 'kept';
  if (!isCron) return stay(status, { job, ...expiry(operation, facts) });
  const next = nextStart(operation);
  if (spec.cancel || spec.suspend || next.kind === 'never') return stay(status, { job });
  if (next.atMs > nowMs) return stay(status, { job, nextMs: next.atMs - nowMs });
  const conditions = withoutCondition(status.conditions, 'Complete', 'Failed');
  return stay({ ...status, phase: 'Pending', duration: '-', conditions }, { job });
};

/** The first step: Pending, with the reason in the same write. Operations that need not wait are Pending first, too. */
const firstStep = (operation: Operation, facts: OperationFacts): OperationStep => {
  const beginning = begin(operation, facts);
  if (beginning.status.phase !== 'Pending') return beginning;
  const next = pendingStep({ ...operation, status: beginning.status } as Operation, facts);
  return next.status.phase === 'Pending' ? next : beginning;
};

const stepOf = (operation: Operation, facts: OperationFacts): OperationStep => {
  const { phase } = statusOf(operation);
  switch (phase) {
    case '':
      return firstStep(operation, facts);
    case 'Pending':
      return pendingStep(operation, facts);
    case 'Executing':
      return executingStep(operation, facts);
    case 'Complete':
    case 'Failed':
      return endedStep(operation, facts);
    default:
      return phase satisfies never;
  }
};

/** The next phase of an operation: None, Pending, Executing, and then Complete or Failed. */
export const operationStep = (operation: Operation, facts: OperationFacts): OperationStep => {
  const step = stepOf(operation, facts);
  const { generation } = operation.metadata;
  // A new Pending is judged in its next step, unless its reason lasts.
  const isJudged = reasonIn(step.status.conditions, 'Started') !== undefined;
  const isSeen = generation !== undefined && (statusOf(operation).phase !== '' || isJudged);
  return isSeen ? { ...step, status: { ...step.status, observedGeneration: generation } } : step;
};
