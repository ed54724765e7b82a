import { parseTime } from '@perigee/schema/values/time';
import type { FindOperation } from './find-cycle.ts';
import {
  nameFrom,
  type Operation,
  type OperationKey,
  policyOf,
  predecessorKeys,
  statusOf,
  wantsRetry,
} from './operation.ts';

/** Grace period for a missing predecessor whose absence fails the operation: both may be new. */
export const GRACE_MS = 10_000;

export type Judgement =
  | { readonly kind: 'released' }
  | {
      readonly kind: 'waits';
      readonly reason: 'WaitingForOperation' | 'PredecessorFailed' | 'PredecessorMissing';
      readonly message: string;
      /** True if the predecessor can no longer become complete: the operation may fail for it. */
      readonly isLost: boolean;
      /** True if the next event can release the operation. Until then rechecks are pointless. */
      readonly isNext: boolean;
    };

type WaitingJudgement = Extract<Judgement, { kind: 'waits' }>;

const RANK: readonly WaitingJudgement['reason'][] = [
  'PredecessorFailed',
  'PredecessorMissing',
  'WaitingForOperation',
];

/** A scheduled operation counts as complete from its first success on. */
const isComplete = (operation: Operation): boolean => {
  const { phase, lastSuccessfulTime } = statusOf(operation);
  return (
    phase === 'Complete' || (policyOf(operation) === 'Cron' && lastSuccessfulTime !== undefined)
  );
};

const judge = (
  key: OperationKey,
  predecessor: Operation | undefined,
  own: string,
  ageMs: number,
): WaitingJudgement | undefined => {
  const name = nameFrom(key, own);
  if (predecessor === undefined) {
    const message = `${name} does not exist`;
    const isLost = ageMs >= GRACE_MS;
    return { kind: 'waits', reason: 'PredecessorMissing', message, isLost, isNext: true };
  }
  if (isComplete(predecessor)) return undefined;
  const { phase, conditions } = statusOf(predecessor);
  // A scheduled operation runs again, and so does one with a pending retry: both may still become complete.
  if (phase === 'Failed' && policyOf(predecessor) !== 'Cron' && !wantsRetry(predecessor)) {
    const why = conditions.find(({ type }) => type === 'Failed');
    const message = `${name} failed${why === undefined ? '' : `: ${why.reason}`}`;
    return { kind: 'waits', reason: 'PredecessorFailed', message, isLost: true, isNext: true };
  }
  // The phase of the predecessor is left out: each change of it would cost a write of every successor.
  const message = `${name} is not complete yet`;
  const isNext = phase === 'Executing' || phase === 'Failed';
  return { kind: 'waits', reason: 'WaitingForOperation', message, isLost: false, isNext };
};

/** Judges whether all predecessors are complete; failures take precedence over waiting. */
export const judgePredecessors = (
  operation: Operation,
  find: FindOperation,
  nowMs: number,
): Judgement => {
  const { namespace = '', creationTimestamp } = operation.metadata;
  const ageMs = nowMs - parseTime(creationTimestamp);
  const waits = predecessorKeys(operation).flatMap(
    (key) => judge(key, find(key), namespace, ageMs) ?? [],
  );
  const worst = RANK.find((reason) => waits.some((one) => one.reason === reason));
  if (worst === undefined) return { kind: 'released' };
  const those = waits.filter(({ reason }) => reason === worst);
  return {
    kind: 'waits',
    reason: worst,
    message: those.map(({ message }) => message).join('; '),
    isLost: those.some(({ isLost }) => isLost),
    isNext: waits.every(({ isNext }) => isNext),
  };
};
