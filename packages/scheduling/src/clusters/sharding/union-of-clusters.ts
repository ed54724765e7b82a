import type { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { ClusterUnion } from '@perigee/api/kinds/clusters/cluster-union';
import { present, unlessEmpty } from '@perigee/schema/present';
import { knownOffer } from '../inventory/known-offer.ts';
import { sumOfWholes as sum, type Whole } from './whole-number.ts';

type Spec = ClusterRecord['spec'];
type Amounts = Pick<Spec, 'eipCapacity' | 'cpuCapacity' | 'memCapacity'>;

const AMOUNTS = ['eipCapacity', 'cpuCapacity', 'memCapacity'] as const;

/** Unknown amounts are left out instead of counting as zero. */
const amountsOf = (
  specs: readonly Amounts[],
  combine: (values: readonly Whole[]) => Whole,
): Amounts =>
  Object.fromEntries(
    AMOUNTS.flatMap((name) => {
      const values = specs.flatMap((spec) => spec[name] ?? []);
      return values.length === 0 ? [] : [[name, combine(values)]];
    }),
  );

const byValue = (a: Whole, b: Whole): number => (a < b ? -1 : Number(a > b));
const most = (values: readonly Whole[]): Whole => values.toSorted(byValue).at(-1) ?? 0;
const least = (values: readonly Whole[]): Whole => values.toSorted(byValue)[0] ?? 0;

const pricesOf = (specs: readonly Spec[]): readonly Whole[] =>
  specs.flatMap(({ serverPrice }) => serverPrice ?? []);

interface Entry<T> {
  readonly value: T;
  readonly spec: Spec;
}

/** Groups entries by key, sorted by key. */
const groupBy = <T>(
  specs: readonly Spec[],
  entriesOf: (spec: Spec) => readonly T[],
  keyOf: (value: T) => string,
): readonly (readonly [first: T, entries: readonly Entry<T>[]])[] => {
  const entries = specs.flatMap((spec) => entriesOf(spec).map((value) => ({ value, spec })));
  return [...Map.groupBy(entries, ({ value }) => keyOf(value))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => (group[0] === undefined ? [] : [[group[0].value, group] as const]));
};

/** Absent and empty are the same. */
const entriesOf = <T extends object>(value: T | undefined): readonly T[] =>
  value !== undefined && Object.values(value).some((part) => part !== '') ? [value] : [];

const flavorsOf = (specs: readonly Spec[]) =>
  groupBy(
    specs,
    (spec) => spec.flavors ?? [],
    ({ flavorID }) => flavorID,
  ).map(([{ flavorID }, entries]) => ({
    flavorID,
    totalCapacity: sum(entries.map(({ value }) => value.totalCapacity)),
    clusterCount: entries.length,
  }));

const geoLocationsOf = (specs: readonly Spec[]) =>
  groupBy(
    specs,
    ({ geoLocation }) => entriesOf(geoLocation),
    ({ country = '', area = '', province = '', city = '' }) =>
      JSON.stringify([country, area, province, city]),
  ).map(([place, entries]) => {
    const there = entries.map(({ spec }) => spec);
    const largest = amountsOf(there, most);
    const prices = pricesOf(there);
    return {
      ...place,
      clusterCount: entries.length,
      ...amountsOf(there, sum),
      ...present({
        flavors: unlessEmpty(flavorsOf(there)),
        largest: Object.keys(largest).length === 0 ? undefined : largest,
        lowestServerPrice: prices.length === 0 ? undefined : least(prices),
      }),
    };
  });

/**
 * The combined offer of some clusters, computed from scratch, so that what one cluster drops stays
 * if another has it. Independent of the order of clusters.
 */
export const unionOfClusters = (clusters: readonly ClusterRecord[]): ClusterUnion => {
  const specs = clusters
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((cluster) => ({ ...cluster.spec, ...knownOffer(cluster) }));
  const regions = groupBy(
    specs,
    ({ region }) => entriesOf(region),
    ({ region = '', availabilityZone = '' }) => JSON.stringify([region, availabilityZone]),
  ).map(([region, entries]) => ({ ...region, clusterCount: entries.length }));
  const operators = groupBy(
    specs,
    ({ operator }) => entriesOf(operator),
    ({ operator = '' }) => operator,
  ).map(([operator, entries]) => ({ ...operator, clusterCount: entries.length }));
  const storage = groupBy(
    specs,
    (spec) => spec.storage ?? [],
    ({ typeID }) => typeID,
  ).map(([{ typeID }, entries]) => ({
    typeID,
    storageCapacity: sum(entries.map(({ value }) => value.storageCapacity)),
    clusterCount: entries.length,
  }));
  const prices = pricesOf(specs);
  return {
    ...present({
      geoLocations: unlessEmpty(geoLocationsOf(specs)),
      regions: unlessEmpty(regions),
      operators: unlessEmpty(operators),
      flavors: unlessEmpty(flavorsOf(specs)),
      storage: unlessEmpty(storage),
    }),
    ...amountsOf(specs, sum),
    ...(prices.length === 0
      ? {}
      : { lowestServerPrice: least(prices), highestServerPrice: most(prices) }),
  };
};
