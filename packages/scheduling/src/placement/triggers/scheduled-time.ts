import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { formatTime, parseTime } from '@perigee/schema/values/time';

type TriggerTime = Pick<BindingSpec, 'rescheduleTriggeredAt'>;

/**
 * The `status.lastScheduledTime` after a decision: now, but no earlier than the request it serves.
 * A request made during the decision stays due.
 */
export const scheduledTime = (
  decision: TriggerTime,
  current: TriggerTime,
  nowMs: number,
): string => {
  const triggeredAt = decision.rescheduleTriggeredAt;
  const since = current.rescheduleTriggeredAt;
  const doneMs = triggeredAt === undefined ? nowMs : Math.max(nowMs, parseTime(triggeredAt));
  if (since === undefined || since === triggeredAt) return formatTime(doneMs);
  return formatTime(Math.min(doneMs, parseTime(since) - 1000));
};
