import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '@perigee/kube/clock/seeded-random';
import fc from 'fast-check';
import { StoredEntry } from '../../src/store/entry.ts';
import { SortedEntries } from '../../src/store/sorted-entries.ts';

const NOTHING = Buffer.alloc(0);
const keyOf = (n: number): string => `key-${String(Math.floor(n)).padStart(6, '0')}`;
const entryOf = (key: string, revision: number) => new StoredEntry(key, revision, NOTHING);

/** Enough keys for dozens of leaves. */
const SPACE = 6_000;

describe('entries in the order of their keys', () => {
  test('are those of a sorted list, whatever was added and removed', () => {
    const changes = fc.record({
      seed: fc.nat(),
      // How likely a step removes: growing, shrinking and both at once.
      removals: fc.constantFrom([0, 0.9], [0.5, 0.5], [0.1, 1]),
    });
    fc.assert(
      fc.property(changes, ({ seed, removals }) => {
        const random = seededRandom(seed);
        const entries = new SortedEntries();
        const model = new Map<string, number>();
        for (const removal of removals) {
          for (let step = 0; step < 4_000; step++) {
            const key = keyOf(random() * SPACE);
            if (random() < removal) {
              entries.delete(key);
              model.delete(key);
            } else {
              entries.set(entryOf(key, step));
              model.set(key, step);
            }
          }
          const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
          const start = { key: '', exclusive: false };
          assert.deepEqual(
            entries.range(start, undefined).map(({ key, revision }) => [key, revision]),
            sorted,
          );
          assert.equal(entries.size, model.size);
          for (let read = 0; read < 50; read++) {
            const [from, to] = [keyOf(random() * SPACE), keyOf(random() * SPACE)];
            const exclusive = random() < 0.5;
            const within = sorted.filter(
              ([key]) => (exclusive ? key > from : key >= from) && key < to,
            );
            const limit = Math.floor(random() * 1_000);
            const found = entries.range({ key: from, exclusive }, to, limit);
            assert.deepEqual(
              found.map(({ key }) => key),
              within.slice(0, limit).map(([key]) => key),
            );
            assert.equal(entries.count({ key: from, exclusive }, to), within.length);
            assert.equal(entries.get(from)?.revision, model.get(from));
          }
        }
      }),
      { numRuns: 10 },
    );
  });

  test('may come in order, backwards and twice', () => {
    const numbers = Array.from({ length: SPACE }, (_, n) => n);
    for (const order of [numbers, numbers.toReversed(), [...numbers, ...numbers]]) {
      const entries = new SortedEntries();
      for (const n of order) entries.set(entryOf(keyOf(n), n));
      const all = entries.range({ key: '', exclusive: false }, undefined);
      assert.deepEqual(
        all.map(({ revision }) => revision),
        numbers,
      );
    }
  });
});
