import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ScheduleTrigger } from '@perigee/api/kinds/placement/schedule-trigger';
import { nextRun } from '@perigee/scheduling/placement/triggers/next-run';
import { quietFor } from '@perigee/scheduling/placement/triggers/quiet-hours';
import { ParseError } from '@perigee/schema/errors';
import { formatTime } from '@perigee/schema/values/time';

const MINUTE = 60_000;
const at = (hour: number, minute = 0): number => Date.UTC(2026, 5, 1, hour, minute);

const triggerWith = (spec: object, standing?: object): ScheduleTrigger =>
  ({
    metadata: { name: 't', uid: 'u', creationTimestamp: formatTime(at(0)), generation: 1 },
    spec: { retryAfterSeconds: 3, autoCleanAfterMinutes: 60, ...spec },
    ...(standing === undefined ? {} : { status: { phase: 'Success', standing } }),
  }) as never;

describe('quiet hours', () => {
  const night = { quietHours: [{ from: '22:00', to: '06:00' }] };
  const cases = [
    ['within a night, before midnight', night, at(23), 7 * 60],
    ['within a night, after midnight', night, at(5, 30), 30],
    ['at their end', night, at(6), 0],
    ['by day', night, at(12), 0],
    ['of which there are none', {}, at(12), 0],
    ['in another time zone', { ...night, timeZone: 'Asia/Tokyo' }, at(14), 7 * 60],
    ['of no length', { quietHours: [{ from: '12:00', to: '12:00' }] }, at(12), 0],
    [
      'that overlap',
      { quietHours: [...night.quietHours, { from: '05:00', to: '07:00' }] },
      at(5, 30),
      90,
    ],
  ] as const;
  for (const [title, spec, nowMs, minutes] of cases) {
    it(title, () => assert.equal(quietFor(spec, nowMs), minutes * MINUTE));
  }

  it('of a zone that nobody knows are told', () => {
    assert.throws(() => quietFor({ ...night, timeZone: 'Mars' }, at(1)), ParseError);
  });
});

describe('the next run of a standing trigger', () => {
  const hourly = { schedule: '0 * * * *' };

  it('is at the next time of its schedule', () => {
    const { begins, state, nextMs } = nextRun(triggerWith(hourly), [], at(0, 15));
    assert.equal(begins, undefined);
    assert.equal(state.nextRunTime, '2026-06-01T01:00:00Z');
    assert.equal(nextMs, 45 * MINUTE);
  });

  it('makes up once for all times that were missed', () => {
    const { begins, state } = nextRun(triggerWith(hourly), [], at(9, 30));
    assert.deepEqual(begins, { startTime: '2026-06-01T09:30:00Z', cause: 'Schedule' });
    const next = nextRun(triggerWith(hourly, state), [], at(9, 31));
    assert.equal(next.begins, undefined);
    assert.equal(next.state.nextRunTime, '2026-06-01T10:00:00Z');
  });

  it('waits for the end of quiet hours, and for the budget', () => {
    const quiet = { ...hourly, quietHours: [{ from: '00:30', to: '02:10' }] };
    assert.equal(
      nextRun(triggerWith(quiet), [], at(1, 30)).state.nextRunTime,
      '2026-06-01T02:10:00Z',
    );
    const past = { cause: 'Schedule', finishTime: formatTime(at(1)), scheduled: 0, failed: 0 };
    const recentRuns = [{ ...past, startTime: formatTime(at(1)), replicasMoved: 0 }];
    const standing = { since: formatTime(at(0)), lastScheduleTime: formatTime(at(1)), recentRuns };
    const frugal = { ...hourly, budget: { maxRunsPerDay: 1 } };
    assert.equal(
      nextRun(triggerWith(frugal, standing), [], at(2)).state.nextRunTime,
      '2026-06-02T01:00:00Z',
    );
  });

  it('does not come while it is suspended', () => {
    const { begins, nextMs } = nextRun(triggerWith({ ...hourly, suspend: true }), [], at(5));
    assert.equal(begins, undefined);
    assert.equal(nextMs, Infinity);
  });

  it('is told to be impossible by a schedule that nobody can read', () => {
    assert.throws(() => nextRun(triggerWith({ schedule: 'now and then' }), [], at(1)), ParseError);
  });
});
