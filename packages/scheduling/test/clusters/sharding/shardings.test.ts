import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { movesOf, settledIn } from '@perigee/scheduling/clusters/sharding/sharding';
import {
  isShardingName,
  SHARDINGS,
  type ShardingName,
} from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import fc from 'fast-check';
import { fleet, schedulers } from './fleets.ts';

const NAMES = Object.keys(SHARDINGS).filter(isShardingName);
const shuffled = <T>(values: readonly T[]): readonly T[] =>
  values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? 1 : -1));
const entriesOf = (homes: ReadonlyMap<string, string>) => [...homes].sort();

const eachSharding = (title: string, check: (name: ShardingName) => void): void => {
  for (const name of NAMES) it(`${title}: ${name}`, () => check(name));
};

describe('every way of sharding', () => {
  it('has a name that --sharding takes', () => {
    assert.deepEqual(NAMES, ['sticky-geo', 'rendezvous', 'ring']);
    assert.equal(isShardingName('toString'), false);
  });

  eachSharding('gives every cluster exactly one home, among the schedulers', (name) => {
    fc.assert(
      fc.property(fleet({ heaviest: 20 }), schedulers(), (clusters, names) => {
        const homes = SHARDINGS[name](clusters, names);
        assert.deepEqual([...homes.keys()].sort(), clusters.map((cluster) => cluster.name).sort());
        for (const home of homes.values()) assert.ok(names.includes(home));
      }),
      { numRuns: 40 },
    );
  });

  eachSharding('does not depend on the order of what it is given', (name) => {
    fc.assert(
      fc.property(fleet({ heaviest: 20 }), schedulers(), schedulers(), (clusters, one, two) => {
        const settled = settledIn(clusters, SHARDINGS[name](clusters, one));
        assert.deepEqual(
          entriesOf(SHARDINGS[name](settled, two)),
          entriesOf(SHARDINGS[name](shuffled(settled), shuffled(two))),
        );
      }),
      { numRuns: 40 },
    );
  });

  eachSharding('gives nothing away when there is nobody', (name) => {
    fc.assert(
      fc.property(fleet(), (clusters) => {
        assert.equal(SHARDINGS[name](clusters, []).size, 0);
      }),
      { numRuns: 5 },
    );
  });

  eachSharding('changes nothing when it is asked again', (name) => {
    fc.assert(
      fc.property(fleet({ heaviest: 20 }), schedulers(), (clusters, names) => {
        const settled = settledIn(clusters, SHARDINGS[name](clusters, names));
        assert.deepEqual(movesOf(settled, SHARDINGS[name](settled, names)), []);
      }),
      { numRuns: 40 },
    );
  });

  eachSharding('moves only to a scheduler that joins, and only from one that leaves', (name) => {
    fc.assert(
      fc.property(fleet({ heaviest: 20 }), schedulers(), (clusters, names) => {
        const settled = settledIn(clusters, SHARDINGS[name](clusters, names));
        for (const { to } of movesOf(settled, SHARDINGS[name](settled, [...names, 'newcomer']))) {
          assert.equal(to, 'newcomer');
        }
        const left = names.slice(1);
        const isBusy = left.every((one) => settled.some(({ home }) => home === one));
        if (left.length === 0 || !isBusy) return;
        const moves = movesOf(settled, SHARDINGS[name](settled, left));
        const orphans = settled.filter(({ home }) => home === names[0]).map((one) => one.name);
        assert.deepEqual(
          moves.map(({ cluster }) => cluster),
          orphans.sort(),
        );
      }),
      { numRuns: 40 },
    );
  });

  eachSharding('moves nobody else when a cluster comes or goes', (name) => {
    fc.assert(
      fc.property(fleet({ heaviest: 20 }), schedulers(), (clusters, names) => {
        const [extra, ...before] = clusters;
        if (extra === undefined || before.length === 0) return;
        const settled = settledIn(before, SHARDINGS[name](before, names));
        const isBusy = names.every((one) => settled.some(({ home }) => home === one));
        if (!isBusy) return;
        const moves = movesOf([...settled, extra], SHARDINGS[name]([...settled, extra], names));
        assert.deepEqual(
          moves.map(({ cluster }) => cluster),
          [extra.name],
        );
        const fewer = settled.slice(1);
        const isStillBusy = names.every((one) => fewer.some(({ home }) => home === one));
        if (isStillBusy) assert.deepEqual(movesOf(fewer, SHARDINGS[name](fewer, names)), []);
      }),
      { numRuns: 60 },
    );
  });
});
