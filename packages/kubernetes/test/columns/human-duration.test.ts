import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { humanDuration } from '../../src/columns/human-duration.ts';

describe('ages', () => {
  const s = 1_000;
  const [m, h, d] = [60 * s, 3_600 * s, 86_400 * s];
  const cases: readonly (readonly [number, string])[] = [
    [-3 * s, '<invalid>'],
    [-2 * s, '<invalid>'],
    [-1_500, '0s'],
    [0, '0s'],
    [119 * s + 999, '119s'],
    [2 * m, '2m'],
    [3 * m + 7 * s, '3m7s'],
    [10 * m + 59 * s, '10m'],
    [179 * m, '179m'],
    [3 * h, '3h'],
    [7 * h + 5 * m, '7h5m'],
    [8 * h + 5 * m, '8h'],
    [47 * h, '47h'],
    [2 * d, '2d'],
    [7 * d + 23 * h, '7d23h'],
    [8 * d + 5 * h, '8d'],
    [729 * d, '729d'],
    [730 * d, '2y'],
    [7 * 365 * d + 3 * d, '7y3d'],
    [3000 * d, '8y'],
  ];
  for (const [ms, text] of cases) it(text, () => assert.equal(humanDuration(ms), text));
});
