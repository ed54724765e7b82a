import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import { formatTime, parseTime } from '@perigee/schema/values/time';

type Asked = Pick<BindingSpec, 'rescheduleTriggeredAt'>;

/**
 * The `status.lastScheduledTime` after a decision: now, but no earlier than the request it serves.
 * A request made during the decision stays due.
 */
export const scheduledTime = (decided: Asked, present: Asked, nowMs: number): string => {
  const asked = decided.rescheduleTriggeredAt;
  const since = present.rescheduleTriggeredAt;
  const doneMs = asked === undefined ? nowMs : Math.max(nowMs, parseTime(asked));
  if (since === undefined || since === asked) return formatTime(doneMs);
  return formatTime(Math.min(doneMs, parseTime(since) - 1000));
};
