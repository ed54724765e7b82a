import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  movesOf,
  type ShardedCluster,
  settledIn,
} from '@perigee/scheduling/clusters/sharding/sharding';
import fc from 'fast-check';
import { stickyGeo } from '../../../src/clusters/sharding/sticky-geo.ts';

const NAMES = ['s0', 's1', 's2', 's3'];

/** Clusters whose homes somebody has chosen at random. */
const fleets = fc.array(
  fc.record({
    city: fc.integer({ min: 0, max: 6 }),
    weight: fc.integer({ min: 1, max: 20 }),
    home: fc.constantFrom(...NAMES),
  }),
  { minLength: 20, maxLength: 80 },
);

const partsOf = (clusters: readonly ShardedCluster[]): number =>
  new Set(clusters.map(({ place, home }) => `${place.join()} ${home}`)).size;

const peakOf = (clusters: readonly ShardedCluster[]): number => {
  const loads = NAMES.map((name) =>
    clusters.reduce((sum, { home, weight }) => (home === name ? sum + weight : sum), 0),
  );
  return Math.max(...loads);
};

const repaired = (clusters: readonly ShardedCluster[], repairs: number) =>
  settledIn(clusters, stickyGeo(clusters, NAMES, { repairs }));

describe('the slow repair', () => {
  it('brings geographies together within its moves and the cap, until there is nothing left to do', () => {
    fc.assert(
      fc.property(fleets, fc.integer({ min: 1, max: 30 }), (given, repairs) => {
        const scattered = given.map(
          ({ city, weight, home }, at): ShardedCluster => ({
            name: `c${at}`,
            id: `c${at}`,
            place: ['US', '', '', `city${city}`],
            weight,
            home,
          }),
        );
        const clusters = repaired(scattered, 0);
        const total = clusters.reduce((sum, { weight }) => sum + weight, 0);
        const limit = Math.max(peakOf(clusters), (total / NAMES.length) * 1.05);
        let present = clusters;
        for (let round = 0; round < 100; round += 1) {
          const assignment = stickyGeo(present, NAMES, { repairs });
          const moves = movesOf(present, assignment).length;
          if (moves === 0) return;
          assert.ok(moves <= repairs);
          const next = settledIn(present, assignment);
          assert.ok(peakOf(next) <= limit + 1e-6);
          present = next;
        }
        assert.fail('it goes on for ever');
      }),
      { numRuns: 100 },
    );
  });

  it('moves the smaller part to where the larger one is', () => {
    const some = (city: string, home: string, count: number): readonly ShardedCluster[] =>
      Array.from({ length: count }, (_, at) => {
        const name = `${city}-${home}-${at}`;
        return { name, id: name, place: [city], weight: 1, home };
      });
    const clusters = [
      ...some('Oslo', 's0', 18),
      ...some('Oslo', 's1', 1),
      ...some('Rome', 's1', 19),
      ...some('Kyiv', 's2', 20),
      ...some('Bern', 's3', 20),
    ];
    const mended = repaired(clusters, 50);
    assert.equal(mended.find(({ name }) => name === 'Oslo-s1-0')?.home, 's0');
    assert.equal(partsOf(mended), 4);
  });
});
