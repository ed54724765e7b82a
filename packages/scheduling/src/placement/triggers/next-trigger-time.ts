import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import { formatTime, parseTime } from '@perigee/schema/values/time';

/** One second later: these times have no fraction. */
const after = (time: string | undefined): number =>
  time === undefined ? -Infinity : parseTime(time) + 1000;

/**
 * The next `spec.rescheduleTriggeredAt` of a binding: now, but later than the last schedule and any
 * earlier request. It works within the same second and with a scheduler's clock ahead, and no two
 * requests are equal.
 */
export const nextTriggerTime = (
  { rescheduleTriggeredAt }: Pick<BindingSpec, 'rescheduleTriggeredAt'>,
  { lastScheduledTime }: Pick<BindingStatus, 'lastScheduledTime'> = {},
  nowMs: number,
): string => formatTime(Math.max(nowMs, after(lastScheduledTime), after(rescheduleTriggeredAt)));
