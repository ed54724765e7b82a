import { conditionReasons } from '@perigee/api/reasons/condition-reasons';
import type { Meaning } from '@perigee/api/reasons/reason';
import type { NamedResource } from '@perigee/api/values/karmada-names';
import { present } from '@perigee/schema/present';

/** `well`: healthy. `waiting`: depends on something else. `failed`: needs intervention. */
export type ObjectState = 'well' | 'waiting' | 'failed';

/** A line below the summary. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

/** The fields of a condition that explanations read: Fluid, Karmada and Perigee share them. */
export interface ReportedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** An explanation of an object other than work: a policy, a claim, a dataset, a queue. */
export interface ObjectExplanation {
  readonly resource: NamedResource;
  readonly state: ObjectState;
  /** Summary in one line. */
  readonly summary: string;
  /** The reason of the condition that the summary is about. */
  readonly reason?: string;
  /** Advice on that reason, for people. */
  readonly todo?: string;
  readonly facts: readonly Fact[];
  readonly conditions: readonly ReportedCondition[];
  /** Commands that show more, or change the object. */
  readonly commands: readonly string[];
}

/** Advice for a reason of a condition; undefined if nothing is amiss. */
export const todoOf = (
  kind: keyof typeof conditionReasons,
  { type, reason }: ReportedCondition,
): string | undefined => {
  const reasons: { readonly [reason: string]: Meaning } | undefined = (
    conditionReasons[kind].conditions as {
      readonly [type: string]: { readonly [reason: string]: Meaning };
    }
  )[type];
  return reason === undefined || reasons === undefined || !Object.hasOwn(reasons, reason)
    ? undefined
    : reasons[reason]?.todo;
};

/** The parts of an explanation that a condition gives. */
export const conditionParts = (
  kind: keyof typeof conditionReasons,
  condition: ReportedCondition | undefined,
): Pick<ObjectExplanation, 'reason' | 'todo'> => {
  if (condition?.reason === undefined) return {};
  const todo = todoOf(kind, condition);
  return { reason: condition.reason, ...present({ todo }) };
};

/** `paris, tokyo and 3 more` */
export const nameList = (names: readonly string[], most = 8): string => {
  const firstNames = names.slice(0, most);
  const more = names.length - firstNames.length;
  return more > 0 ? `${firstNames.join(', ')} and ${more} more` : firstNames.join(', ');
};

/** A fact; none without a value. */
export const fact = (name: string, value: string | undefined): readonly Fact[] =>
  value === undefined || value === '' ? [] : [{ name, value }];
