import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { goSort } from '../../../src/placement/scheduler/assign/go-sort.ts';

interface SortCase {
  /** One character each, to be sorted from the largest on. */
  readonly values: string;
  /** The places of the characters, as Go's `sort.Sort` orders them (`tools/library-answers`). */
  readonly order: readonly number[];
}

const cases: readonly SortCase[] = JSON.parse(
  readFileSync(new URL('./sort-cases.json', import.meta.url), 'utf8'),
);

describe('the order of equal elements', () => {
  for (const { values, order } of cases) {
    const name = values.length <= 30 ? values : `${values.slice(0, 30)}… (${values.length})`;
    it(`is that of Go: ${name}`, () => {
      const places = Array.from(values, (_, place) => place);
      const isLess = (a: number, b: number): boolean => (values[a] ?? '') > (values[b] ?? '');
      assert.deepEqual(goSort(places, isLess), order);
    });
  }
});

it('an input made against this very sort is sorted in time', () => {
  const size = 20_000;
  // McIlroy's adversary: each value is decided as late as possible, so that every pivot is a bad one.
  const values = new Array<number>(size).fill(size);
  let [decidedCount, candidate, comparisons] = [0, 0, 0];
  const isLess = (a: number, b: number): boolean => {
    comparisons += 1;
    if (values[a] === size && values[b] === size) {
      values[a === candidate ? a : b] = decidedCount;
      decidedCount += 1;
    }
    if (values[a] === size) candidate = a;
    else if (values[b] === size) candidate = b;
    return (values[a] as number) < (values[b] as number);
  };
  const sorted = goSort(
    values.map((_, place) => place),
    isLess,
  );
  for (const [at, place] of sorted.entries()) {
    if (at > 0)
      assert.ok((values[sorted[at - 1] as number] as number) <= (values[place] as number));
  }
  assert.ok(comparisons < 20 * size * Math.log2(size), `${comparisons} comparisons`);
});
