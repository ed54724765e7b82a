import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  chooseScheduler,
  type SchedulerChoice,
} from '@perigee/scheduling/placement/distributor/choose-scheduler';

/** Clusters by their free cores, such as `{ one: [8, 8], two: [4] }`. */
const choose = (
  free: { readonly [scheduler: string]: readonly number[] },
  more: Partial<SchedulerChoice> = {},
) => {
  const homes = new Map<string, string>();
  const clusters = Object.entries(free).flatMap(([scheduler, cores]) =>
    cores.map((cpu, at) => {
      const name = `${scheduler}-${at}`;
      homes.set(name, scheduler);
      return {
        name,
        isDeleting: false,
        capacity: { free: new Map([['cpu', { parts: cpu * 1000 }]]) },
      } as never;
    }),
  );
  return chooseScheduler({
    id: 'work',
    clusters,
    homeOf: (name) => homes.get(name),
    schedulers: Object.keys(free),
    waitingWith: () => 0,
    ...more,
  });
};

const spread = (minGroups: number) => ({
  placement: {
    replicaScheduling: { replicaSchedulingType: 'Divided' },
    spreadConstraints: [{ spreadByField: 'cluster', minGroups, maxGroups: 9 }],
  } as never,
});

describe('the scheduler for some work', () => {
  it('is the one with the most room in clusters that the work may use', () => {
    assert.equal(choose({ one: [4, 4], two: [16], three: [] }), 'two');
  });

  it('is another one when work waits there already', () => {
    const waitingWith = (name: string) => (name === 'two' ? 3 : 0);
    assert.equal(choose({ one: [4, 4], two: [16] }, { waitingWith }), 'one');
  });

  it('has as many clusters as the work has to be on', () => {
    assert.equal(choose({ one: [4, 4], two: [64] }, spread(2)), 'one');
    assert.equal(choose({ one: [4, 4], two: [64] }, spread(1)), 'two');
  });

  it('has the largest share when the work has to spread over the clusters of several', () => {
    assert.equal(choose({ one: [4, 4, 4], two: [64], three: [64] }, spread(5)), 'one');
    const placement = { replicaScheduling: { replicaSchedulingType: 'Duplicated' } } as never;
    assert.equal(choose({ one: [4, 4, 4], two: [64], three: [64] }, { placement }), 'one');
  });

  it('has the most room among those whose shares are about the same', () => {
    const [five, four] = [
      [4, 4, 4, 4, 4],
      [9, 9, 9, 9],
    ];
    assert.equal(choose({ one: five, two: four }, spread(9)), 'two');
  });

  it('is the next candidate when one has refused, and nobody when all have', () => {
    const free = { one: [4], two: [16], three: [] };
    assert.equal(choose(free, { refusedBy: ['two'] }), 'one');
    assert.equal(choose(free, { refusedBy: ['two', 'one'] }), undefined);
  });

  it('is anybody when nobody has a cluster that would do: somebody has to say why', () => {
    assert.ok(['one', 'two'].includes(choose({ one: [], two: [] }) ?? ''));
  });
});
