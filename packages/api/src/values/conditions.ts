import type { Condition } from '../meta/condition.ts';
import { formatTime } from './time.ts';

type Conditions = readonly Condition[];

/** What a controller says of a condition; the time of the change follows from it. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

export const findCondition = (
  conditions: Conditions | undefined,
  type: string,
): Condition | undefined => conditions?.find((condition) => condition.type === type);

/** False when the condition is absent, false or unknown. */
export const isConditionTrue = (conditions: Conditions | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'True';

/**
 * Puts the condition in the place of the one of its type, or at the end. The transition time moves only
 * when the status does. When nothing changes, the very same array comes back, so that a caller can
 * tell that there is nothing to write.
 */
export const setCondition = (
  conditions: Conditions | undefined,
  condition: NewCondition,
  nowMs: number,
): Conditions => {
  const { type, status, reason, message, observedGeneration } = condition;
  const old = findCondition(conditions, type);
  if (
    conditions !== undefined &&
    old?.status === status &&
    old.reason === reason &&
    old.message === message &&
    old.observedGeneration === observedGeneration
  ) {
    return conditions;
  }
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTime(nowMs);
  const next: Condition = { ...condition, lastTransitionTime };
  if (old === undefined) return [...(conditions ?? []), next];
  return (conditions ?? []).map((other) => (other === old ? next : other));
};

/** Drops the condition of the type; the very same array when there is none. */
export const removeCondition = (conditions: Conditions, type: string): Conditions =>
  findCondition(conditions, type) === undefined
    ? conditions
    : conditions.filter((condition) => condition.type !== type);
