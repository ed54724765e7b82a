import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { chooseGroups, type Group } from '../../../src/placement/scheduler/select/choose-groups.ts';

const group = (name: string, size: number, weight: number): Group => ({
  name,
  weight,
  members: Array.from({ length: size }, () => ({}) as Group['members'][number]),
});

const byWeight = (a: Group, b: Group) => b.weight - a.weight || (a.name < b.name ? -1 : 1);

/** Upstream's way: find every path, sort them all, then prefer a beginning of the best. */
const enumerate = (groups: readonly Group[], min: number, max: number, clusters: number) => {
  const sorted = groups.toSorted((a, b) => a.members.length - b.members.length || byWeight(a, b));
  const paths: Group[][] = [];
  const walk = (taken: readonly Group[], from: number): void => {
    const size = taken.reduce((sum, { members }) => sum + members.length, 0);
    if (size >= clusters && taken.length >= min && taken.length <= max) {
      paths.push(taken.toSorted(byWeight));
      return;
    }
    if (taken.length >= max) return;
    for (let at = from; at < sorted.length; at += 1) walk([...taken, sorted[at] as Group], at + 1);
  };
  walk([], 0);
  const sum = (path: readonly Group[], of: (one: Group) => number) =>
    path.reduce((total, one) => total + of(one), 0);
  const ranked = paths.toSorted(
    (a, b) =>
      sum(b, ({ weight }) => weight) - sum(a, ({ weight }) => weight) ||
      sum(b, ({ members }) => members.length) - sum(a, ({ members }) => members.length),
  );
  let [best] = ranked;
  for (const path of ranked.slice(1)) {
    if (best === undefined || path.length >= best.length) continue;
    if (path.every((one, index) => one.name === best?.[index]?.name)) best = path;
  }
  return best?.map(({ name }) => name);
};

describe('choosing regions', () => {
  it('finds what the enumeration of all choices finds', () => {
    const groups = fc.uniqueArray(
      fc.record({
        name: fc.stringMatching(/^r[0-9]$/),
        size: fc.integer({ min: 1, max: 4 }),
        weight: fc.nat(5),
      }),
      { selector: ({ name }) => name, minLength: 1, maxLength: 7 },
    );
    const limits = fc.record({
      min: fc.integer({ min: 1, max: 4 }),
      more: fc.nat(3),
      clusters: fc.nat(10),
    });
    fc.assert(
      fc.property(groups, limits, (all, { min, more, clusters }) => {
        const made = all.map(({ name, size, weight }) => group(name, size, weight));
        const chosen = chooseGroups(made, { min, max: min + more }, clusters);
        assert.deepEqual(
          chosen?.map(({ name }) => name),
          enumerate(made, min, min + more, clusters),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('upstream defect: does not try every choice of 20 among 40 equal regions', () => {
    const equal = Array.from({ length: 40 }, (_, index) => group(`r${index}`, 2, 1000));
    assert.equal(chooseGroups(equal, { min: 20, max: 20 }, 40)?.length, 20);
  });

  it('does not keep the sums of all counts of 20,000 groups, which filled the memory', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => group(`r${at}`, 1, 1000 * (at % 7)));
    for (const max of [3, 10_000, Number.POSITIVE_INFINITY]) {
      assert.equal(chooseGroups(many, { min: 2, max }, 2)?.length, 2);
    }
  });
});
