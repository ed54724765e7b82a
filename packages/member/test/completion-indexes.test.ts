import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countAmong, formatIndexes, parseIndexes } from '../src/job/completion-indexes.ts';

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

  it('are counted among those of a policy', () => {
    const many = fc.uniqueArray(fc.nat(60));
    fc.assert(
      fc.property(many, many, (policy, done) => {
        const { all, among } = countAmong(formatIndexes(policy), new Set(done));
        assert.deepEqual(
          [all, among],
          [policy.length, policy.filter((index) => done.includes(index)).length],
        );
      }),
    );
  });

  it('are not counted one by one, as two billion of a policy were', () => {
    const { all, among } = countAmong('0-2147483646', new Set([0, 7]));
    assert.deepEqual([all, among], [2_147_483_647, 2]);
    assert.equal(parseIndexes('0-2147483646').size, 1_000_000);
  });
});
