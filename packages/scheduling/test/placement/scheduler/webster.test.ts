import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Party, webster } from '../../../src/placement/scheduler/assign/webster.ts';

/** The method as it is told: one seat after the other, to the largest quotient. */
const oneByOne = (seats: number, parties: readonly Party[]) => {
  const won = parties
    .map(({ name, votes }) => ({ name, votes, seats: 0 }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (let left = seats; left > 0; left -= 1) {
    const [next] = won.toSorted(
      (a, b) =>
        b.votes / (2 * b.seats + 1) - a.votes / (2 * a.seats + 1) ||
        a.seats - b.seats ||
        (a.name < b.name ? -1 : 1),
    );
    if (next !== undefined) next.seats += 1;
  }
  return won.map(({ name, seats: count }) => ({ name, seats: count }));
};

const parties = fc
  .uniqueArray(fc.record({ name: fc.stringMatching(/^[a-z]{1,3}$/), votes: fc.nat(50) }), {
    selector: ({ name }) => name,
    minLength: 1,
    maxLength: 8,
  })
  .filter((all) => all.some(({ votes }) => votes > 0));

describe('webster', () => {
  it('gives seats to the largest quotient, one after the other', () => {
    fc.assert(
      fc.property(fc.nat(300), parties, (seats, all) => {
        assert.deepEqual(webster(seats, all), oneByOne(seats, all));
      }),
    );
  });

  it('shares out two thousand million seats without counting them', () => {
    const all = ['a', 'b', 'c'].map((name, index) => ({ name, votes: index + 1 }));
    const seats = webster(2 ** 31 - 1, all);
    assert.equal(
      seats.reduce((sum, one) => sum + one.seats, 0),
      2 ** 31 - 1,
    );
    assert.deepEqual(
      seats.map((one) => Math.round(one.seats / ((2 ** 31 - 1) / 6))),
      [1, 2, 3],
    );
  });

  it('breaks ties by name, in a direction that depends on the workload', () => {
    const all = [
      { name: 'a', votes: 1 },
      { name: 'b', votes: 1 },
    ];
    const winner = (uid: string) => webster(1, all, uid).find(({ seats }) => seats === 1)?.name;
    assert.equal(winner(''), 'a');
    const winners = new Set(['u1', 'u2', 'u3', 'u4', 'u5', 'u6', 'u7', 'u8'].map(winner));
    assert.deepEqual([...winners].sort(), ['a', 'b']);
  });

  it('gives nothing when nobody has votes', () => {
    assert.deepEqual(webster(3, [{ name: 'a', votes: 0 }]), []);
  });
});
