import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompanionData } from '../../src/flows/common-destination.ts';
import { type PlannedCluster, type PlannedRoute, planData } from '../../src/flows/data-plan.ts';

const GIB = 2 ** 30;
const MIB = 2 ** 20;

/** The data of one claim: a GiB, with ways of so many seconds, and of so much money. */
const data = (
  claim: string,
  holders: readonly string[],
  ways: { readonly [to: string]: number | readonly [seconds: number, price: number] },
  allowance?: { readonly bytes: number; readonly cost: number },
): CompanionData => ({
  claim,
  holders,
  bytes: GIB,
  ways: Object.entries(ways).map(([to, way]): PlannedRoute => {
    const [seconds, pricePerGiB = 0] = typeof way === 'number' ? [way] : way;
    return { from: 'far', to, measuredSpeed: GIB / seconds, pricePerGiB };
  }),
  ...(allowance === undefined ? {} : { allowance }),
});

/** The best choice for each claim of some work, each decided alone. */
const decisions = (
  all: readonly CompanionData[],
  clusters: readonly Omit<PlannedCluster, 'hasData'>[],
  by: 'time' | 'money' = 'time',
): readonly string[] =>
  all.map((one) => {
    const { best, message = '' } = planData({
      ...one,
      work: 'Deployment web',
      namespace: 'default',
      dataset: one.claim,
      clusters: clusters.map((cluster) => ({
        ...cluster,
        hasData: one.holders.includes(cluster.name),
      })),
      companions: all.filter((other) => other !== one),
      waitedSeconds: undefined,
      by,
    });
    return best === undefined ? message : `${best.does} ${best.clusters.join(' ')}`;
  });

const mentioned = (all: readonly CompanionData[]) => {
  const names = all.flatMap(({ holders, ways }) => [...holders, ...ways.map(({ to }) => to)]);
  return [...new Set(names)].map((name) => ({ name }));
};

const cases: readonly {
  readonly name: string;
  readonly data: readonly CompanionData[];
  readonly clusters?: readonly Omit<PlannedCluster, 'hasData'>[];
  readonly by?: 'money';
  readonly decided: readonly string[];
}[] = [
  {
    name: 'not each to the cluster that is best for it alone',
    data: [data('a', [], { x: 10, y: 20, z: 90 }), data('b', [], { x: 90, y: 25, z: 10 })],
    decided: ['Copy y', 'Copy y'],
  },
  {
    name: 'not to one that the other data has no way to',
    data: [data('a', [], { x: 10, y: 20 }), data('b', [], { y: 30 })],
    decided: ['Copy y', 'Copy y'],
  },
  {
    name: 'not to one where the other claim has too little left to spend',
    data: [
      data('a', [], { x: 10, y: 20 }),
      data('b', [], { x: [10, 5], y: [30, 1] }, { bytes: 2 * GIB, cost: 2 }),
    ],
    decided: ['Copy y', 'Copy y'],
  },
  {
    name: 'one alone, where the other one is',
    data: [data('a', ['x'], { y: 10 }), data('b', [], { x: 20, y: 30 })],
    decided: ['Run x', 'Copy x'],
  },
  {
    name: 'both, where that is sooner than to have one follow the other',
    data: [data('a', ['x'], { y: 10 }), data('b', [], { x: 500, y: 30 })],
    decided: ['Copy y', 'Copy y'],
  },
  {
    name: 'to the cheapest for both together',
    data: [
      data('a', [], { x: [10, 1], y: [10, 2], z: [10, 3] }),
      data('b', [], { x: [10, 9], y: [10, 3], z: [10, 3] }),
    ],
    by: 'money',
    decided: ['Copy y', 'Copy y'],
  },
  {
    name: 'nothing where all of it is',
    data: [data('a', ['x', 'y'], {}), data('b', ['y'], { x: 1 })],
    decided: ['Run y', 'Run y'],
  },
  {
    name: 'three alike',
    data: [
      data('a', ['x'], { y: 40, z: 40 }),
      data('b', ['y'], { x: 50, z: 30 }),
      data('c', ['z'], { x: 60, y: 45 }),
    ],
    decided: ['Copy z', 'Copy z', 'Run z'],
  },
  {
    name: 'nothing where no cluster suits all, and says for which data',
    data: [data('a', [], { x: 10 }), data('b', [], { y: 10 })],
    decided: [
      'no cluster can run the work: x: the data of the claim b is not there, and cannot be copied',
      'no cluster can run the work: y: the data of the claim a is not there, and cannot be copied',
    ],
  },
  {
    name: 'nothing to a cluster without room, though half of it is there',
    data: [data('a', ['x'], { y: 10 }), data('b', [], { x: 1, y: 10 })],
    clusters: [{ name: 'x', refusal: 'no room', isPassing: true }, { name: 'y' }],
    decided: ['Copy y', 'Copy y'],
  },
];

describe('the data of several claims of one work is copied', () => {
  for (const { name, data: all, clusters = mentioned(all), by, decided } of cases) {
    it(name, () => {
      assert.deepEqual(decisions(all, clusters, by), decided);
      const turned = all.toReversed();
      assert.deepEqual(decisions(turned, clusters, by), decided.toReversed());
    });
  }

  it('at the same time, at the speed of each', () => {
    const { best } = planData({
      ...data('a', [], { x: 10 }),
      work: 'Deployment web',
      namespace: 'default',
      dataset: 'a',
      clusters: [{ name: 'x', hasData: false }],
      companions: [data('b', [], { x: [40, 2] })],
      waitedSeconds: undefined,
      by: 'time',
    });
    assert.deepEqual([best?.seconds, best?.bytesPerSecond], [10, GIB / 10]);
    assert.deepEqual(best?.together, { seconds: 40, cost: 2 });
  });

  it('and nothing is said together where all other data is', () => {
    const { best } = planData({
      ...data('a', [], { x: 10 }),
      work: 'Deployment web',
      namespace: 'default',
      dataset: 'a',
      clusters: [{ name: 'x', hasData: false }],
      companions: [data('b', ['x'], {})],
      waitedSeconds: undefined,
      by: 'time',
    });
    assert.equal(best?.together, undefined);
    assert.equal(best?.bytesPerSecond, (1024 * MIB) / 10);
  });
});
