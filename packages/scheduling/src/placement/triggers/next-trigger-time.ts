import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { formatTime, parseTime } from '@perigee/api/values/time';

/** A second later: these times have no fraction. */
const after = (time: string | undefined): number =>
  time === undefined ? -Infinity : parseTime(time) + 1000;

/**
 * The `spec.rescheduleTriggeredAt` that has a binding scheduled afresh: now, but later than the last schedule
 * and than whatever was asked for before. So it counts also within the same second, and when the scheduler's
 * clock is ahead; and no two requests look alike.
 */
export const nextTriggerTime = (
  { rescheduleTriggeredAt }: Pick<BindingSpec, 'rescheduleTriggeredAt'>,
  { lastScheduledTime }: Pick<BindingStatus, 'lastScheduledTime'> = {},
  nowMs: number,
): string => formatTime(Math.max(nowMs, after(lastScheduledTime), after(rescheduleTriggeredAt)));
