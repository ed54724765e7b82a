import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import { findCondition } from '@perigee/api/values/conditions';
import { parseTime } from '@perigee/schema/values/time';

export const AVAILABLE = 'Available';

export const isLeaving = ({ metadata }: Scheduler): boolean =>
  metadata.deletionTimestamp !== undefined;

/** True if it accepts work now. */
export const takesWork = (scheduler: Scheduler): boolean =>
  scheduler.status?.phase === 'Active' && !isLeaving(scheduler);

/**
 * The remaining time that it keeps its clusters: infinite while active, `absenceMs` from when it
 * became unavailable, and 0 if it leaves or was never active.
 */
export const staysForMs = (scheduler: Scheduler, absenceMs: number, nowMs: number): number => {
  if (isLeaving(scheduler)) return 0;
  const { phase, conditions } = scheduler.status ?? {};
  if (phase === 'Active') return Number.POSITIVE_INFINITY;
  if (phase !== 'Unavailable') return 0;
  const since = findCondition(conditions, AVAILABLE)?.lastTransitionTime;
  return since === undefined ? 0 : Math.max(0, parseTime(since) + absenceMs - nowMs);
};
