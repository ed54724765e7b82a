import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRescheduleDue } from '@perigee/scheduling/placement/scheduler/placement-request';
import { nextTriggerTime } from '@perigee/scheduling/placement/triggers/next-trigger-time';
import { scheduledTime } from '@perigee/scheduling/placement/triggers/scheduled-time';

const NOON = Date.UTC(2026, 0, 1, 12);
const noon = '2026-01-01T12:00:00Z';
const later = '2026-01-01T12:00:01Z';
const nextHour = '2026-01-01T13:00:00Z';

describe('the time at which a fresh schedule is asked for', () => {
  it('is now', () => {
    assert.equal(nextTriggerTime({}, {}, NOON), noon);
    const past = { lastScheduledTime: '2025-12-31T00:00:00Z' };
    assert.equal(nextTriggerTime({}, past, NOON + 999), noon);
  });

  it('is after the last schedule, in the same second and on a clock that is ahead', () => {
    assert.equal(nextTriggerTime({}, { lastScheduledTime: noon }, NOON + 500), later);
    assert.equal(
      nextTriggerTime({}, { lastScheduledTime: nextHour }, NOON),
      '2026-01-01T13:00:01Z',
    );
  });

  it('is after what was asked for before', () => {
    assert.equal(nextTriggerTime({ rescheduleTriggeredAt: noon }, {}, NOON), later);
  });

  it('is always due', () => {
    for (const lastScheduledTime of [noon, later, nextHour]) {
      const rescheduleTriggeredAt = nextTriggerTime({}, { lastScheduledTime }, NOON);
      const spec = { rescheduleTriggeredAt } as never;
      assert.equal(isRescheduleDue(spec, { lastScheduledTime }), true, lastScheduledTime);
    }
  });
});

describe('the time of a schedule', () => {
  it('is now, or when it was asked for', () => {
    assert.equal(scheduledTime({}, {}, NOON), noon);
    const asked = { rescheduleTriggeredAt: nextHour };
    assert.equal(scheduledTime(asked, asked, NOON), nextHour);
  });

  it('leaves due what was asked for while it was decided', () => {
    const since = { rescheduleTriggeredAt: noon };
    const lastScheduledTime = scheduledTime({}, since, NOON);
    assert.equal(lastScheduledTime, '2026-01-01T11:59:59Z');
    assert.equal(isRescheduleDue(since as never, { lastScheduledTime }), true);
  });
});
