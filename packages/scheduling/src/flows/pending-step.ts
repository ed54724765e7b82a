import type { OperationStatus } from '@perigee/api/kinds/flows/operation-status';
import { present } from '@perigee/schema/present';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import { findCycle } from './find-cycle.ts';
import { GRACE_MS, judgePredecessors } from './judge-predecessors.ts';
import { nextStart } from './next-start.ts';
import { nameFrom, type Operation, policyOf, predecessorKeys, statusOf } from './operation.ts';
import { type OperationReason, reasonIn, withCondition } from './operation-conditions.ts';
import { type OperationFacts, type OperationStep, stay } from './operation-facts.ts';
import { cycleText } from './operation-problems.ts';
import { failedStep } from './operation-run.ts';

/** Resync period, as in Fluid: a safety net below the events. */
export const RESYNC_MS = 10_000;

/** The status without the results of the last attempt. */
export const withoutRun = (status: OperationStatus): OperationStatus => {
  const { clusters: _, progress: __, startTime: ___, completionTime: ____, ...rest } = status;
  const { nodeAffinity: _____, transfer: ______, ...remainder } = rest;
  return remainder;
};

const heldStep = (
  status: OperationStatus,
  reason: OperationReason<'Started'>,
  message: string,
  nowMs: number,
  nextMs = RESYNC_MS,
): OperationStep => {
  const word = { status: 'False', reason, message } as const;
  const conditions = withCondition(status.conditions, 'Started', word, nowMs);
  return stay({ ...status, conditions }, { nextMs });
};

/** The search for a cycle is slow in a large flow, so it runs only after changes. */
const mayBeInCycle = (operation: Operation, { find }: OperationFacts): boolean => {
  const { observedGeneration, conditions } = statusOf(operation);
  return (
    observedGeneration !== operation.metadata.generation ||
    reasonIn(conditions, 'Started') === 'Cycle' ||
    predecessorKeys(operation).some((key) => {
      const predecessor = find(key);
      return (
        predecessor !== undefined &&
        reasonIn(statusOf(predecessor).conditions, 'Started') === 'Cycle'
      );
    })
  );
};

/** The step of an operation that waits for others; undefined if it need not. */
const gate = (
  operation: Operation,
  status: OperationStatus,
  facts: OperationFacts,
): OperationStep | undefined => {
  const { find, nowMs } = facts;
  const { namespace = '', creationTimestamp } = operation.metadata;
  const judgement = judgePredecessors(operation, find, nowMs);
  if (judgement.kind === 'released') return undefined;
  const fails = operation.spec.onPredecessorFailure === 'fail';
  const cycle = mayBeInCycle(operation, facts) ? findCycle(operation, find) : undefined;
  if (cycle !== undefined) {
    const message = `it waits for itself: ${cycleText(cycle, namespace)}`;
    return fails
      ? failedStep(status, { reason: 'Cycle', message }, nowMs)
      : heldStep(status, 'Cycle', message, nowMs);
  }
  const { reason, message, isLost } = judgement;
  if (fails && isLost && reason !== 'WaitingForOperation') {
    return failedStep(status, { reason, message }, nowMs);
  }
  const graceMs = parseTime(creationTimestamp) + GRACE_MS - nowMs;
  if (fails && reason === 'PredecessorMissing') {
    return heldStep(status, reason, message, nowMs, Math.min(RESYNC_MS, Math.max(0, graceMs)));
  }
  return heldStep(status, reason, message, nowMs, judgement.isNext ? RESYNC_MS : Infinity);
};

const start = (
  operation: Operation,
  status: OperationStatus,
  { nowMs, placementWord, onlyCluster, transfer: transferOf }: OperationFacts,
): OperationStep => {
  const word = placementWord();
  const placedConditions = withCondition(status.conditions, 'Placed', word, nowMs);
  if (word.status === 'False') {
    const message = 'no cluster can run it; the condition Placed says why';
    return heldStep(
      { ...status, conditions: placedConditions },
      'WaitingForCluster',
      message,
      nowMs,
    );
  }
  const transfer = transferOf?.();
  const cluster = onlyCluster?.();
  const attempts = (status.attempts ?? 0) + 1;
  const now = formatTime(nowMs);
  const startedWord = {
    reason: 'Started',
    message: `attempt ${attempts} goes to the clusters`,
  } as const;
  return stay(
    {
      ...withoutRun(status),
      phase: 'Executing',
      attempts,
      ...present({ transfer }),
      startTime: now,
      ...present({
        clusters:
          cluster === undefined ? undefined : [{ name: cluster, phase: 'Pending' as const }],
        lastScheduleTime: policyOf(operation) === 'Cron' ? now : undefined,
      }),
      conditions: withCondition(placedConditions, 'Started', startedWord, nowMs),
    },
    { job: 'wanted' },
  );
};

export const pendingStep = (operation: Operation, facts: OperationFacts): OperationStep => {
  const { nowMs } = facts;
  const { spec, metadata } = operation;
  const before = statusOf(operation);
  if (spec.cancel) {
    return failedStep(before, { reason: 'Cancelled', message: 'it was cancelled' }, nowMs);
  }
  const isWaiting = before.waitingFor?.operationComplete === true;
  const waits = isWaiting ? gate(operation, before, facts) : undefined;
  if (waits !== undefined) return waits;
  const status = isWaiting ? { ...before, waitingFor: { operationComplete: false } } : before;
  const hold = (reason: OperationReason<'Started'>, message: string, nextMs?: number) =>
    heldStep(status, reason, message, nowMs, nextMs);

  if (spec.suspend) return hold('Suspended', 'spec.suspend holds it back');
  const next = nextStart(operation);
  if (next.kind === 'never') {
    return next.why === 'event'
      ? hold('NothingStartsIt', 'the policy OnEvent starts nothing here')
      : failedStep(status, { reason: 'BadSchedule', message: next.message }, nowMs);
  }
  if (next.atMs > nowMs) {
    const message = `it starts at ${formatTime(next.atMs)}`;
    return hold('WaitingForSchedule', message, Math.min(next.atMs - nowMs, RESYNC_MS));
  }
  const missingName = facts.missingDataset();
  if (missingName !== undefined) {
    return hold('TargetDatasetNotFound', `there is no Dataset ${missingName} in this namespace`);
  }
  const ahead = facts.writerAhead();
  if (ahead !== undefined) {
    const name = nameFrom(ahead, metadata.namespace ?? '');
    return hold('DataInUse', `${name} writes the same data, and goes first`);
  }
  const refusal = facts.refusal();
  if (refusal !== undefined) return failedStep(status, refusal, nowMs);
  return start(operation, status, facts);
};
