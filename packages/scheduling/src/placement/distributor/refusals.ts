import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import type { Binding } from '../binding/binding.ts';
import { isWaiting } from '../scheduler/standing.ts';

/**
 * Annotation with the schedulers that found no place for a binding. None is asked twice before it
 * is scheduled.
 */
const REFUSED_BY = 'globalscheduler.com/refused-by';
const SCHEDULED = 'Scheduled';

export const refusersOf = ({ metadata }: Binding): readonly string[] =>
  (metadata.annotations?.[REFUSED_BY] ?? '').split(',').filter((name) => name !== '');

/** The annotation patch for the refusals; null removes it if the list is empty. */
export const refusersNoted = (
  refusers: readonly string[],
): { readonly [annotation: string]: string | null } => ({
  [REFUSED_BY]: refusers.length === 0 ? null : refusers.join(),
});

/** True if its scheduler has not decided yet, not even that it does not fit. */
export const isUndecided = (binding: Binding): boolean => {
  const answer = findCondition(binding.status?.conditions, SCHEDULED)?.status ?? 'Unknown';
  return isWaiting(binding) && answer === 'Unknown';
};

/** True if its scheduler found no place. */
export const isRefused = ({ status }: Binding): boolean =>
  findCondition(status?.conditions, SCHEDULED)?.status === 'False';

/** The conditions with Scheduled reset, so that the next scheduler's decision is recognised. */
export const takenBack = (
  { spec, status = {} }: Binding,
  nowMs: number,
): readonly ConditionOf<'Binding'>[] => {
  const words = findCondition(status.conditions, SCHEDULED)?.message ?? '';
  return setCondition(
    status.conditions,
    {
      type: SCHEDULED,
      status: 'Unknown',
      reason: 'HandedOver',
      message: `Another scheduler is asked. The scheduler ${spec.schedulerName} said: ${words}`,
    },
    nowMs,
  );
};
