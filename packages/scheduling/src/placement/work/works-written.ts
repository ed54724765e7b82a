import type { ConditionOf, ReasonOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition, type NewCondition, setCondition } from '@perigee/api/values/conditions';

export type RefusalReason = Exclude<ReasonOf<'Binding', 'WorksWritten'>, 'WorksWritten'>;

/** The reason why a binding's Work for a cluster is not updated. */
export interface Refusal {
  readonly cluster: string;
  readonly reason: RefusalReason;
  readonly message: string;
}

const WORKS_WRITTEN = 'WorksWritten';
const MOST_LETTERS = 32_768;

const conditionOf = (refusals: readonly Refusal[]): NewCondition<'Binding', 'WorksWritten'> => {
  const [first] = refusals;
  if (first === undefined) {
    return {
      type: WORKS_WRITTEN,
      status: 'True',
      reason: 'WorksWritten',
      message: 'The Works of all clusters say what they should.',
    };
  }
  const message = refusals.map((one) => `${one.cluster}: ${one.message}`).join('; ');
  return {
    type: WORKS_WRITTEN,
    status: 'False',
    reason: first.reason,
    message: message.slice(0, MOST_LETTERS),
  };
};

/**
 * The WorksWritten condition. It is not added to a binding that never had a refusal, which is
 * nearly all of them.
 */
export const withRefusals = (
  conditions: readonly ConditionOf<'Binding'>[] | undefined,
  refusals: readonly Refusal[],
  now: number,
): readonly ConditionOf<'Binding'>[] | undefined =>
  refusals.length === 0 && findCondition(conditions, WORKS_WRITTEN) === undefined
    ? conditions
    : setCondition(conditions, conditionOf(refusals), now);
