import type { WorkloadCondition } from '@perigee/kubernetes/apps/workload-condition';
import { present } from '@perigee/schema/present';

type Conditions = readonly WorkloadCondition[];
type ConditionUpdate = Pick<WorkloadCondition, 'type' | 'status' | 'reason' | 'message'>;

export const conditionOf = (
  conditions: Conditions | undefined,
  type: string,
): WorkloadCondition | undefined => conditions?.find((condition) => condition.type === type);

export const withoutCondition = (conditions: Conditions, type: string): Conditions =>
  conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;

/** Appends a condition, in place of the one of its type. The transition time changes only with the status. */
export const withCondition = (
  conditions: Conditions,
  update: ConditionUpdate,
  time: string,
): Conditions => {
  const old = conditionOf(conditions, update.type);
  if (old?.status === update.status && old.reason === update.reason) return conditions;
  const lastTransitionTime = old?.status === update.status ? old.lastTransitionTime : time;
  return [
    ...withoutCondition(conditions, update.type),
    { ...update, ...present({ lastTransitionTime }) },
  ];
};
