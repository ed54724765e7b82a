import type { ShardedCluster } from '@perigee/scheduling/clusters/sharding/sharding';
import fc from 'fast-check';

/** Clusters in a few geographies; `places: 0` for clusters of which nobody knows where they are. */
export const fleet = ({ most = 120, places = 8, heaviest = 1 } = {}) =>
  fc
    .array(
      fc.record({
        place: fc.nat({ max: Math.max(0, places - 1) }),
        weight: fc.integer({ min: 1, max: heaviest }),
      }),
      { minLength: 1, maxLength: most },
    )
    .map((made): readonly ShardedCluster[] =>
      made.map(({ place, weight }, at) => ({
        name: `cluster${at}`,
        id: `id-${at}`,
        place: places === 0 ? [] : [`country${place % 2}`, '', '', `city${place}`],
        weight,
      })),
    );

export const schedulers = (most = 8) =>
  fc
    .integer({ min: 1, max: most })
    .map((count) => Array.from({ length: count }, (_, at) => `scheduler${at}`));

export const loadsOf = (
  clusters: readonly ShardedCluster[],
  homeOf: (cluster: string) => string | undefined,
): ReadonlyMap<string, number> => {
  const loads = new Map<string, number>();
  for (const { name, weight } of clusters) {
    const home = homeOf(name) ?? '';
    loads.set(home, (loads.get(home) ?? 0) + weight);
  }
  return loads;
};

export const totalOf = (clusters: readonly ShardedCluster[]): number =>
  clusters.reduce((sum, { weight }) => sum + weight, 0);

export const heaviestOf = (clusters: readonly ShardedCluster[]): number =>
  clusters.reduce((most, { weight }) => Math.max(most, weight), 0);
