import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  movesOf,
  type ShardedCluster,
  settledIn,
} from '@perigee/scheduling/clusters/sharding/sharding';
import fc from 'fast-check';
import { stickyGeo } from '../../../src/clusters/sharding/sticky-geo.ts';
import { fleet, heaviestOf, loadsOf, schedulers, totalOf } from './fleets.ts';

const SLACK = 0.05;

const most = (loads: ReadonlyMap<string, number>): number => Math.max(0, ...loads.values());

const assertBounded = (clusters: readonly ShardedCluster[], count: number, slack = SLACK) => {
  const loads = loadsOf(clusters, (name) => clusters.find((one) => one.name === name)?.home);
  const limit = (totalOf(clusters) / count) * (1 + slack) + heaviestOf(clusters);
  assert.ok(most(loads) <= limit + 1e-6, `${most(loads)} of at most ${limit}`);
};

const city = (name: string, count: number, weight = 1): readonly ShardedCluster[] =>
  Array.from({ length: count }, (_, at) => ({
    name: `${name}-${at}`,
    id: `${name}-${at}`,
    place: ['land', name],
    weight,
  }));

const homesOf = (clusters: readonly ShardedCluster[], homes: ReadonlyMap<string, string>) =>
  new Set(clusters.map(({ name }) => homes.get(name)));

describe('sticky-geo sharding', () => {
  it('keeps everybody within the bound through joins and leaves, by weight', () => {
    const steps = fc.array(fc.nat({ max: 20 }), { maxLength: 12 });
    fc.assert(
      fc.property(fleet({ heaviest: 30 }), schedulers(6), steps, (clusters, first, choices) => {
        let names = first;
        let settled = settledIn(clusters, stickyGeo(clusters, names));
        assertBounded(settled, names.length);
        choices.forEach((choice, step) => {
          const leaver = names[choice % names.length];
          const leaves = choice % 2 === 0 && names.length > 1;
          names = leaves ? names.filter((name) => name !== leaver) : [...names, `later${step}`];
          settled = settledIn(settled, stickyGeo(settled, names));
          assertBounded(settled, names.length);
        });
      }),
      { numRuns: 60 },
    );
  });

  it('moves the least that makes room for a newcomer, without slack and geographies', () => {
    fc.assert(
      fc.property(fleet({ places: 0 }), schedulers(), (clusters, names) => {
        const settled = settledIn(clusters, stickyGeo(clusters, names, { slack: 0 }));
        const joined = stickyGeo(settled, [...names, 'newcomer'], { slack: 0 });
        assert.equal(
          movesOf(settled, joined).length,
          Math.floor(clusters.length / (names.length + 1)),
        );
        assert.ok(
          most(loadsOf(clusters, (name) => joined.get(name))) <=
            Math.ceil(clusters.length / (names.length + 1)),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('moves at most the share of the newcomer, by weight', () => {
    fc.assert(
      fc.property(fleet({ heaviest: 30 }), schedulers(), (clusters, names) => {
        const settled = settledIn(clusters, stickyGeo(clusters, names));
        const homes = stickyGeo(settled, [...names, 'newcomer']);
        const moved = loadsOf(settled, (name) => homes.get(name)).get('newcomer') ?? 0;
        assert.ok(moved <= totalOf(clusters) / (names.length + 1) + 1e-6);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a geography with one scheduler where the bound allows it', () => {
    const cities = ['a', 'b', 'c', 'd'].map((name) => city(name, 10));
    const homes = stickyGeo(cities.flat(), ['one', 'two']);
    for (const clusters of cities) assert.equal(homesOf(clusters, homes).size, 1);
    assert.deepEqual([...loadsOf(cities.flat(), (name) => homes.get(name)).values()], [20, 20]);
  });

  it('splits a geography that is too large for one, into as few parts as it can', () => {
    const large = city('large', 70);
    const small = [city('a', 10), city('b', 10), city('c', 5), city('d', 5)];
    const homes = stickyGeo([...large, ...small.flat()], ['one', 'two', 'three', 'four']);
    assert.equal(homesOf(large, homes).size, 3);
    for (const clusters of small) assert.equal(homesOf(clusters, homes).size, 1);
  });

  it('puts a new cluster to the others of its city, else of its country', () => {
    const settled = [
      ...city('a', 10).map((one) => ({ ...one, home: 'one' })),
      ...city('b', 12).map((one) => ({ ...one, place: ['elsewhere', 'b'], home: 'two' })),
    ];
    const near = { name: 'n', id: 'n', place: ['land', 'c'], weight: 1 };
    const same = { name: 's', id: 's', place: ['elsewhere', 'b'], weight: 0.1 };
    assert.equal(stickyGeo([...settled, near], ['one', 'two']).get('n'), 'one');
    assert.equal(stickyGeo([...settled, same], ['one', 'two'], { slack: 0.2 }).get('s'), 'two');
  });

  it('hands a whole city to a newcomer rather than parts of several', () => {
    const settled = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name, at) =>
      city(name, 10).map((one) => ({ ...one, home: at % 2 === 0 ? 'one' : 'two' })),
    );
    const homes = stickyGeo(settled, ['one', 'two', 'three']);
    assert.equal(movesOf(settled, homes).length, 20);
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
      assert.equal(homesOf(city(name, 10), homes).size, 1, name);
    }
  });

  it('follows the wish of the administrator as long as there is room', () => {
    const desired = city('a', 4).map((one) => ({ ...one, requestedHome: 'two' }));
    const homes = stickyGeo(desired, ['one', 'two']);
    assert.equal(loadsOf(desired, (name) => homes.get(name)).get('two'), 2);
    const gone = desired.map((one) => ({ ...one, requestedHome: 'nobody' }));
    assert.equal(stickyGeo(gone, ['one', 'two']).size, 4);
  });

  it('repairs an overload with no more moves than it may make', () => {
    const settled = ['a', 'b', 'c', 'd'].flatMap((name) =>
      city(name, 5).map((one) => ({ ...one, home: name === 'd' ? 'two' : 'one' })),
    );
    const names = ['one', 'two'];
    assert.deepEqual(movesOf(settled, stickyGeo(settled, names)), []);
    assert.equal(movesOf(settled, stickyGeo(settled, names, { repairs: 2 })).length, 2);
    const repaired = settledIn(settled, stickyGeo(settled, names, { repairs: 100 }));
    assert.equal(movesOf(settled, stickyGeo(settled, names, { repairs: 100 })).length, 5);
    assertBounded(repaired, 2, 0);
  });
});
