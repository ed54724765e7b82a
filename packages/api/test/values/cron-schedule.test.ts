import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ParseError } from '@perigee/schema/errors';
import { parseCron } from '../../src/values/cron-schedule.ts';
import { nextTime } from '../../src/values/cron-times.ts';

const TIMES: readonly (readonly [string, string, string, string?])[] = [
  ['*/15 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:15:00Z'],
  ['5/20 * * * *', '2026-01-01T00:25:00Z', '2026-01-01T00:45:00Z'],
  ['30 4 1,15 * 5', '2026-01-01T05:00:00Z', '2026-01-02T04:30:00Z'],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00Z'],
  ['0 9-17/4 * * mon-fri', '2026-01-02T13:30:00Z', '2026-01-02T17:00:00Z'],
  ['0 0 1 FEB ?', '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
  ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00:00Z'],
  ['0 12 * * sun', '2026-01-01T00:00:00Z', '2026-01-04T12:00:00Z'],
  // A star with a step says something: a Monday or an odd day is enough.
  ['0 0 */2 * 1', '2026-01-01T12:00:00Z', '2026-01-03T00:00:00Z'],
  ['0 0 */2 * 1', '2026-01-03T12:00:00Z', '2026-01-05T00:00:00Z'],
  ['@every 1h30m', '2026-01-01T00:10:00.250Z', '2026-01-01T01:40:00Z'],
  ['@every 10ms', '2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'],
  ['30 9 * * *', '2026-01-01T00:00:00Z', '2026-01-01T08:30:00Z', 'Europe/Berlin'],
  // The clocks skip this time on the 29th.
  ['30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T00:30:00Z', 'Europe/Berlin'],
];

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['* * * *', /^expected exactly 5 fields, found 4: \[\* \* \* \*\]$/],
  ['60 * * * *', /^end of range \(60\) above maximum \(59\): 60$/],
  ['0 12 * * 7', /^end of range \(7\) above maximum \(6\): 7$/],
  ['0 0 0 * *', /^beginning of range \(0\) below minimum \(1\): 0$/],
  ['*/0 * * * *', /^step of range should be a positive number: \*\/0$/],
  ['5-1 * * * *', /^beginning of range \(5\) beyond end of range \(1\): 5-1$/],
  ['1-2-3 * * * *', /^too many hyphens: 1-2-3$/],
  ['1/2/3 * * * *', /^too many slashes: 1\/2\/3$/],
  ['x * * * *', /^failed to parse int from x: /],
  ['@never', /^unrecognized descriptor: @never$/],
  ['@constructor', /^unrecognized descriptor: @constructor$/],
  ['@every day', /^failed to parse duration @every day: time: invalid duration "day"$/],
  [`@every ${'9'.repeat(1e6)}s`, /^a duration has at most 100 characters$/],
];

describe('a schedule', () => {
  for (const [text, after, expected, zone] of TIMES) {
    it(`${text} ${zone ?? ''} comes next after ${after} at ${expected}`, () => {
      const next = nextTime(parseCron(text), Date.parse(after), zone);
      assert.equal(new Date(next ?? 0).toISOString().replace('.000', ''), expected);
    });
  }

  for (const [text, message] of REFUSED) {
    it(`cannot be "${text.slice(0, 40)}"`, () =>
      assert.throws(() => parseCron(text), { name: ParseError.name, message }));
  }

  it('may never come', () => {
    assert.equal(nextTime(parseCron('0 0 31 2 *'), 0), undefined);
  });

  it('needs a time zone that somebody knows', () => {
    const next = () => nextTime(parseCron('@daily'), 0, 'Mars/Olympus');
    assert.throws(next, { name: ParseError.name, message: 'unknown time zone Mars/Olympus' });
  });
});
