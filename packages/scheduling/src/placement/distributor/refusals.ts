import type { ConditionOf } from '@perigee/api/reasons/condition-reasons';
import { findCondition, setCondition } from '@perigee/api/values/conditions';
import type { Binding } from '../binding/binding.ts';
import { isWaiting } from '../scheduler/standing.ts';

/** Says who found no place for a binding. Nobody is asked twice, until it is placed. */
const REFUSED_BY = 'globalscheduler.com/refused-by';
const SCHEDULED = 'Scheduled';

export const refusersOf = ({ metadata }: Binding): readonly string[] =>
  (metadata.annotations?.[REFUSED_BY] ?? '').split(',').filter((name) => name !== '');

/** The annotations that note who has refused; nobody when the list is empty. */
export const refusersNoted = (
  refusers: readonly string[],
): { readonly [annotation: string]: string | null } => ({
  [REFUSED_BY]: refusers.length === 0 ? null : refusers.join(),
});

/** Whether its scheduler has not said anything about it yet, not even that it does not fit. */
export const isUndecided = (binding: Binding): boolean => {
  const said = findCondition(binding.status?.conditions, SCHEDULED)?.status ?? 'Unknown';
  return isWaiting(binding) && said === 'Unknown';
};

/** Whether its scheduler found no place for it. */
export const isRefused = ({ status }: Binding): boolean =>
  findCondition(status?.conditions, SCHEDULED)?.status === 'False';

/** The conditions without the word of its scheduler, so that the word of the next one can be told from it. */
export const takenBack = (
  { spec, status = {} }: Binding,
  nowMs: number,
): readonly ConditionOf<'Binding'>[] => {
  const said = findCondition(status.conditions, SCHEDULED)?.message ?? '';
  return setCondition(
    status.conditions,
    {
      type: SCHEDULED,
      status: 'Unknown',
      reason: 'HandedOver',
      message: `Another scheduler is asked. The scheduler ${spec.schedulerName} said: ${said}`,
    },
    nowMs,
  );
};
