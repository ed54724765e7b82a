import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FairSeats } from '../../src/flow/fair-seats.ts';

const ROOMY = { waitingPerUser: 1000, waiting: 5000 };

/** Takes a seat or waits for one, and notes whose turn came. */
const come = (seats: FairSeats, user: string, served: string[]): void => {
  if (seats.take(user)) served.push(user);
  else seats.wait(user, () => served.push(user));
};

describe('fair seats', () => {
  it('gives a seat at once while there are some', () => {
    const seats = new FairSeats({ seats: 4, ...ROOMY });
    assert.deepEqual([seats.take('a'), seats.take('b'), seats.take('a')], [true, true, true]);
  });

  it('keeps a part of the seats from whoever has most of them', () => {
    const seats = new FairSeats({ seats: 4, ...ROOMY });
    const taken = [1, 2, 3, 4].map(() => seats.take('greedy'));
    assert.deepEqual(taken, [true, true, true, false]);
    assert.equal(seats.take('other'), true);
  });

  it('lets nobody wait for a thousand requests of somebody else', () => {
    const seats = new FairSeats({ seats: 1, ...ROOMY });
    const served: string[] = [];
    for (let at = 0; at < 1000; at += 1) come(seats, 'greedy', served);
    come(seats, 'other', served);
    come(seats, 'other', served);
    for (let at = 0; at < 5; at += 1) seats.leave(served.at(at) ?? '');
    assert.deepEqual(served.slice(0, 5), ['greedy', 'other', 'greedy', 'other', 'greedy']);
  });

  it('refuses to queue more than it may', () => {
    const seats = new FairSeats({ seats: 1, waitingPerUser: 2, waiting: 3 });
    assert.equal(seats.take('a'), true);
    const wait = (user: string) => seats.wait(user, () => {}) !== undefined;
    assert.deepEqual(['a', 'a', 'a', 'b', 'c'].map(wait), [true, true, false, true, false]);
  });

  it('forgets those who stop waiting', () => {
    const seats = new FairSeats({ seats: 1, ...ROOMY });
    const served: string[] = [];
    assert.equal(seats.take('a'), true);
    const waiting = seats.wait('b', () => served.push('b'));
    seats.wait('c', () => served.push('c'));
    waiting?.[Symbol.dispose]();
    seats.leave('a');
    assert.deepEqual([served, seats.waiting], [['c'], 0]);
  });

  it('serves each user who waits once before it serves anybody twice', () => {
    const users = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(users, fc.integer({ min: 1, max: 3 }), (asked, size) => {
        const seats = new FairSeats({ seats: size, ...ROOMY });
        const first = Array.from({ length: size }, (_, at) => `first${at}`);
        for (const user of first) assert.equal(seats.take(user), true);
        const served: string[] = [];
        for (const user of asked) seats.wait(user, () => served.push(user));
        for (const user of first) seats.leave(user);
        for (let at = 0; at < served.length; at += 1) seats.leave(served[at] ?? '');
        assert.deepEqual([...served].sort(), [...asked].sort());
        // While a user waits, between two of their turns everybody else has at most one.
        for (const user of new Set(asked)) {
          const turns = served.flatMap((one, at) => (one === user ? [at] : []));
          for (const [at, turn] of turns.entries()) {
            const between = served.slice(at === 0 ? 0 : (turns[at - 1] ?? 0) + 1, turn);
            for (const other of new Set(between)) {
              assert.ok(between.filter((one) => one === other).length <= 1, `${served}`);
            }
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
