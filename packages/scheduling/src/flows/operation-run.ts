import type { DataBackup } from '@perigee/api/kinds/flows/data-backup';
import type {
  OperationClusterState,
  OperationStatus,
} from '@perigee/api/kinds/flows/operation-status';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatDuration } from '@perigee/schema/values/duration';
import { formatTime, parseTime } from '@perigee/schema/values/time';
import {
  clusterStates,
  forecast,
  isOverIn,
  jointProgress,
  type RunReport,
} from './cluster-states.ts';
import { nodesOf } from './follow-nodes.ts';
import { GRACE_MS } from './judge-predecessors.ts';
import { type Operation, policyOf, statusOf } from './operation.ts';
import {
  type OperationReason,
  reasonIn,
  withCondition,
  withoutCondition,
} from './operation-conditions.ts';
import { type OperationFacts, type OperationStep, stay } from './operation-facts.ts';
import { formatCost } from './transfer-routes.ts';
import type { Refusal } from './validate-operation.ts';

/** As in Fluid: whole seconds, and a dash for an operation that never began. */
const durationOf = ({ startTime }: OperationStatus, endMs: number): string =>
  startTime === undefined
    ? '-'
    : formatDuration(Math.max(0, Math.round((endMs - parseTime(startTime)) / 1000)) * 1000);

export const failedStep = (
  status: OperationStatus,
  word: Refusal,
  nowMs: number,
  endMs = nowMs,
): OperationStep => {
  const conditions = withoutCondition(status.conditions, 'Complete');
  const isBegun = status.startTime !== undefined;
  // Conditions about the start are meaningless for an operation that never began.
  const restConditions = isBegun ? conditions : withoutCondition(conditions, 'Started', 'Placed');
  return stay(
    {
      ...status,
      phase: 'Failed',
      duration: durationOf(status, endMs),
      ...present({ completionTime: isBegun ? formatTime(endMs) : undefined }),
      conditions: withCondition(restConditions, 'Failed', word, nowMs),
    },
    { job: isBegun ? 'unwanted' : 'kept' },
  );
};

/** The time at which the last cluster completed; its report may arrive late. */
const endOf = (states: readonly OperationClusterState[], nowMs: number): number => {
  const ends = states.flatMap(({ completionTime }) => completionTime ?? []).sort();
  const last = ends.at(-1);
  return last === undefined || ends.length < states.length ? nowMs : parseTime(last);
};

/** Results under Fluid's names. */
const infosOf = (
  operation: Operation,
  [first]: readonly OperationClusterState[],
): { readonly [name: string]: string } => {
  if (operation.kind !== 'DataBackup') return {};
  const { backupPath } = (operation as DataBackup).spec;
  const node = backupPath.startsWith('local://') ? (first?.node ?? '') : 'NA';
  return {
    BackupLocationPath: backupPath,
    ...present({ BackupLocationNodeName: unlessEmpty(node) }),
  };
};

const complete = (
  operation: Operation,
  status: OperationStatus,
  states: readonly OperationClusterState[],
  report: RunReport,
  nowMs: number,
): OperationStep => {
  const endMs = endOf(states, nowMs);
  const isPlayed = states.some(({ reason }) => reason === 'Simulated');
  const reason: OperationReason<'Complete'> = isPlayed ? 'Simulated' : 'Succeeded';
  const where = states.map(({ name }) => name).join(', ');
  const message = isPlayed ? `its pods were played in ${where}` : `it is complete in ${where}`;
  const completionTime = formatTime(endMs);
  const nodeAffinity =
    policyOf(operation) === 'Cron' ? undefined : nodesOf(states, report.nodeLabels);
  return stay({
    ...status,
    ...present({ nodeAffinity }),
    phase: 'Complete',
    duration: durationOf(status, endMs),
    completionTime,
    infos: { ...status.infos, ...infosOf(operation, states) },
    ...present({ lastSuccessfulTime: policyOf(operation) === 'Cron' ? completionTime : undefined }),
    conditions: withCondition(status.conditions, 'Complete', { reason, message }, nowMs),
  });
};

const FAILURES: readonly OperationReason<'Failed'>[] = ['BackoffLimitExceeded', 'DeadlineExceeded'];

const failureOf = (states: readonly OperationClusterState[]): Refusal => {
  const those = states.filter(({ phase }) => phase === 'Failed');
  const [first] = those;
  const reason = FAILURES.find((one) => one === first?.reason) ?? 'JobFailed';
  const message = those
    .map(({ name, message: words }) => `${name}: ${words || 'the Job failed'}`)
    .join('; ');
  return { reason, message };
};

/** The deadline of an operation, enforced even if no cluster reports. */
const deadlineMs = ({ spec }: Operation, states: readonly OperationClusterState[]): number => {
  const starts = states.flatMap(({ startTime }) => startTime ?? []).sort();
  const [first] = starts;
  if (spec.activeDeadlineSeconds === undefined || first === undefined) return Infinity;
  // A cluster stops its Job by itself, and reports the reason.
  return parseTime(first) + spec.activeDeadlineSeconds * 1000 + GRACE_MS;
};

const withStates = (
  status: OperationStatus,
  states: readonly OperationClusterState[],
): OperationStatus => {
  const { progress: _, clusters: __, ...rest } = status;
  const progress = jointProgress(states);
  return {
    ...rest,
    ...present({ clusters: unlessEmpty(states), progress }),
  };
};

/** Prices the bytes that came from another cluster. */
const withCosts = (
  states: readonly OperationClusterState[],
  { costOf }: OperationFacts,
): readonly OperationClusterState[] =>
  states.map((state) => {
    const { result, phase, name } = state;
    if (phase !== 'Complete' || result === undefined || result.cost !== undefined) return state;
    const cost = costOf?.(name, Number(result.bytesCopied ?? result.bytes ?? 0));
    return cost === undefined ? state : { ...state, result: { ...result, cost: formatCost(cost) } };
  });

/** The step of an operation whose Job is delivered, or on its way. */
export const executingStep = (operation: Operation, facts: OperationFacts): OperationStep => {
  const { nowMs, report, placedWord } = facts;
  const before = statusOf(operation);
  if (operation.spec.cancel) {
    return failedStep(before, { reason: 'Cancelled', message: 'it was cancelled' }, nowMs);
  }
  if (report === undefined) return stay(before, { job: 'wanted' });
  const fullReport = placedWord === undefined ? forecast(before.clusters ?? [], report) : report;
  const states = withCosts(clusterStates(before.clusters ?? [], fullReport), facts);
  const status = withStates(before, states);
  if (states.length > 0 && states.every(isOverIn)) {
    if (states.every(({ phase }) => phase === 'Complete')) {
      return complete(operation, status, states, report, nowMs);
    }
    const step = failedStep(status, failureOf(states), nowMs, endOf(states, nowMs));
    const wasStopped = reasonIn(step.status.conditions, 'Failed') === 'DeadlineExceeded';
    return { ...step, job: wasStopped ? 'unwanted' : 'kept' };
  }
  const failure = facts.servingFailure?.();
  if (failure !== undefined) return failedStep(status, failure, nowMs);
  const endMs = deadlineMs(operation, states);
  if (endMs <= nowMs) {
    const message = `it took longer than ${operation.spec.activeDeadlineSeconds} s`;
    return failedStep(status, { reason: 'DeadlineExceeded', message }, nowMs);
  }
  const conditions =
    placedWord === undefined
      ? status.conditions
      : withCondition(status.conditions, 'Placed', placedWord, nowMs);
  return stay({ ...status, conditions }, { job: 'wanted', nextMs: endMs - nowMs });
};
