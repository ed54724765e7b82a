import type { OperationCondition } from '@perigee/api/kinds/flows/operation-status';
import type { ReasonOf } from '@perigee/api/reasons/condition-reasons';
import { formatTime } from '@perigee/schema/values/time';

type Type = 'Complete' | 'Failed' | 'Started' | 'Placed';

export type OperationReason<T extends Type> = ReasonOf<'DataOperation', T>;

/** Clients of Fluid read the outcome from the first condition. */
const ORDER: readonly string[] = ['Complete', 'Failed', 'Started', 'Placed'];

const rankOf = ({ type }: OperationCondition): number => {
  const rank = ORDER.indexOf(type);
  return rank < 0 ? ORDER.length : rank;
};

export interface Word<T extends Type> {
  readonly status?: 'True' | 'False';
  readonly reason: OperationReason<T>;
  readonly message: string;
}

/** The conditions with one updated; its transition time changes only with its status. */
export const withCondition = <T extends Type>(
  conditions: readonly OperationCondition[],
  type: T,
  { status = 'True', reason, message }: Word<T>,
  nowMs: number,
): readonly OperationCondition[] => {
  const old = conditions.find((one) => one.type === type);
  if (old?.status === status && old.reason === reason && old.message === message) return conditions;
  const now = formatTime(nowMs);
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  const next = { type, status, reason, message, lastProbeTime: now, lastTransitionTime };
  const others = conditions.filter((one) => one.type !== type);
  return [...others, next as OperationCondition].sort((a, b) => rankOf(a) - rankOf(b));
};

export const withoutCondition = (
  conditions: readonly OperationCondition[],
  ...types: readonly Type[]
): readonly OperationCondition[] =>
  conditions.filter(({ type }) => !(types as readonly string[]).includes(type));

/** Reasons of an operation that was ended while its Job may have run: the Job has to go. */
const STOPPED: ReadonlySet<string | undefined> = new Set<OperationReason<'Failed'>>([
  'Cancelled',
  'DeadlineExceeded',
  'SourceFailed',
]);

/** True if an operation was stopped. Finished Jobs are kept for their logs. */
export const isStopped = (conditions: readonly OperationCondition[]): boolean =>
  STOPPED.has(reasonIn(conditions, 'Failed'));

export const reasonIn = (
  conditions: readonly OperationCondition[],
  type: Type,
): string | undefined => conditions.find((one) => one.type === type)?.reason;
