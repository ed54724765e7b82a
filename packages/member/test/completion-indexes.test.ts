import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { formatIndexes, parseIndexes } from '../src/job/completion-indexes.ts';

describe('indexes of a job', () => {
  for (const [indexes, text] of [
    [[], ''],
    [[3], '3'],
    [[1, 2], '1,2'],
    [[1, 2, 3], '1-3'],
    [[7, 0, 2, 1, 9, 8], '0-2,7-9'],
  ] as const) {
    it(`are written ${text || 'as nothing'}`, () => assert.equal(formatIndexes(indexes), text));
  }

  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), (indexes) => {
        assert.deepEqual(parseIndexes(formatIndexes(indexes)), new Set(indexes));
      }),
    );
  });
});
