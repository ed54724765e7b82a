import { seededRandom } from '@perigee/kube/clock/seeded-random';
import type { ShardedCluster } from '@perigee/scheduling/clusters/sharding/sharding';

const COUNTRIES = 7;
const SPREAD = 0.7;
const MEAN_CORES = 100;

/** Places of which a few are large and many are small. */
const skewedPlaces = (count: number, random: () => number): (() => number) => {
  const weights = Array.from({ length: count }, (_, at) => 1 / (at + 1) ** 0.8);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return () => {
    let rest = random() * total;
    return Math.max(
      0,
      weights.findIndex((weight) => {
        rest -= weight;
        return rest < 0;
      }),
    );
  };
};

/** Clusters of different sizes in skewed geographies; the same for the same numbers. */
export const fleetOf = (clusters: number, places: number): readonly ShardedCluster[] => {
  const random = seededRandom(clusters);
  const place = skewedPlaces(places, random);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Array.from({ length: clusters }, (_, at) => {
    const city = place();
    return {
      name: `cluster${at}`,
      id: `cluster${at}`,
      place: [`country${city % COUNTRIES}`, '', '', `city${city}`],
      weight: Math.max(1, Math.round(MEAN_CORES * Math.exp(normal() * SPREAD))),
    };
  });
};
