import { formatTime } from '@perigee/schema/values/time';
import type { Condition } from '../meta/condition.ts';
import type { ConditionedKind, ConditionOf, ConditionType } from '../reasons/condition-reasons.ts';

/** For each member of a union by itself, so that every type of condition keeps its own reasons. */
type WithoutTime<C> = C extends Condition ? Omit<C, 'lastTransitionTime'> : never;

/** Those of a type that is known when this is compiled; any when it is not, such as one that a user wrote. */
type OfType<C, T extends string> = string extends T
  ? C
  : C extends { readonly type: infer U }
    ? T extends U
      ? C
      : never
    : never;

/** A condition of a kind as a controller sets it, without the time of its transition. */
export type NewCondition<
  K extends ConditionedKind,
  T extends ConditionType<K> = ConditionType<K>,
> = WithoutTime<Extract<ConditionOf<K>, { readonly type: T }>>;

export const findCondition = <C extends Condition, const T extends string>(
  conditions: readonly C[] | undefined,
  type: T,
): OfType<C, T> | undefined =>
  conditions?.find((condition): condition is C & OfType<C, T> => condition.type === type);

/** False when the condition is absent, false or unknown. */
export const isConditionTrue = <C extends Condition>(
  conditions: readonly C[] | undefined,
  type: C['type'],
): boolean => conditions?.find((condition) => condition.type === type)?.status === 'True';

/**
 * Puts the condition in the place of the one of its type, or at the end. The transition time moves only
 * when the status does. When nothing changes, the very same array comes back, so that a caller can
 * recognise that there is nothing to write. For kinds of others, whose reasons are not ours to list.
 */
export const setForeignCondition = (
  conditions: readonly Condition[] | undefined,
  condition: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): readonly Condition[] => {
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

/** The same for our own kinds: only a reason that the list of the kind pairs with the type compiles. */
export const setCondition: <C extends ConditionOf<ConditionedKind>>(
  conditions: readonly C[] | undefined,
  condition: NoInfer<WithoutTime<C>>,
  nowMs: number,
) => readonly C[] = setForeignCondition as never;

/** Drops the condition of the type; the very same array when there is none. */
export const removeCondition = <C extends Condition>(
  conditions: readonly C[],
  type: C['type'],
): readonly C[] =>
  conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
