import {
  type Assignment,
  movesOf,
  type ShardedCluster,
  type Sharding,
  settledIn,
} from '@perigee/scheduling/clusters/sharding/sharding';
import { SHARDINGS } from '@perigee/scheduling/clusters/sharding/sharding-by-name';
import { type Benchmark, type Figure, figureOf } from './figure.ts';
import { afterChurn } from './sharding-churn.ts';
import { fleetOf } from './sharding-fleet.ts';
import { exactlyOnce } from './sharding-processes.ts';
import { ringOf2020 } from './sharding-ring-2020.ts';

const LIMIT = 'limit';
const ROUNDS = 5;
const CASES = [
  { clusters: 1_000, schedulers: 10, places: 50 },
  { clusters: 10_000, schedulers: 50, places: 200 },
];

const weigh = (clusters: Iterable<ShardedCluster>): number => {
  let sum = 0;
  for (const { weight } of clusters) sum += weight;
  return sum;
};

interface Quality {
  /** The largest load, beside the mean. */
  readonly peak: number;
  readonly perGeography: number;
}

const qualityOf = (
  clusters: readonly ShardedCluster[],
  homes: Assignment,
  schedulers: number,
): Quality => {
  const loads = Map.groupBy(clusters, ({ name }) => homes.get(name));
  const mean = weigh(clusters) / schedulers;
  const geographies = [...Map.groupBy(clusters, ({ place }) => place.join()).values()];
  const holders = geographies.map((all) => new Set(all.map(({ name }) => homes.get(name))).size);
  return {
    peak: Math.max(...Array.from(loads.values(), weigh)) / mean,
    perGeography: holders.reduce((sum, count) => sum + count, 0) / geographies.length,
  };
};

/** Weight of the clusters that move, as a multiple of the possible minimum. */
const movedOf = (settled: readonly ShardedCluster[], homes: Assignment, least: number): number => {
  const movedNames = new Set(movesOf(settled, homes).map(({ cluster }) => cluster));
  return weigh(settled.filter(({ name }) => movedNames.has(name))) / least;
};

interface Measured extends Quality {
  readonly joined: number;
  readonly leaving: number;
  readonly addition: number;
}

const measure = (
  sharding: Sharding,
  fleet: readonly ShardedCluster[],
  names: readonly string[],
): Measured => {
  const settledFleet = settledIn(fleet, sharding(fleet, names));
  const homes = new Map(settledFleet.map(({ name, home = '' }) => [name, home]));
  const leaver = weigh(settledFleet.filter(({ home }) => home === names[0]));
  const { home: _, ...template } = settledFleet[0] as ShardedCluster;
  const more = [...settledFleet, { ...template, name: 'one-more', id: 'one-more' }];
  return {
    ...qualityOf(fleet, homes, names.length),
    joined: movedOf(
      settledFleet,
      sharding(settledFleet, [...names, 'newcomer']),
      weigh(fleet) / (names.length + 1),
    ),
    leaving: movedOf(settledFleet, sharding(settledFleet, names.slice(1)), leaver),
    addition: movesOf(more, sharding(more, names)).length,
  };
};

const figuresOf = ({ clusters, schedulers, places }: (typeof CASES)[number]): readonly Figure[] => {
  const fleet = fleetOf(clusters, places);
  const names = Array.from({ length: schedulers }, (_, at) => `scheduler${at}`);
  const title = `${clusters.toLocaleString('en')} clusters on ${schedulers}`;
  const ours = measure(SHARDINGS['sticky-geo'], fleet, names);
  const heaviest = Math.max(...fleet.map(({ weight }) => weight));
  const one = heaviest / (weigh(fleet) / schedulers);
  const figure = (what: string, unit: string, value: number, peer: string, other: number) =>
    figureOf(
      { what: `${what}, ${title}`, unit, better: 'less', peer, goal: 1 },
      { ours: [value], theirs: [other] },
    );
  const peers: readonly (readonly [string, Sharding])[] = [
    ['rendezvous', SHARDINGS.rendezvous],
    ['ring', SHARDINGS.ring],
    ['ring of 2020', ringOf2020],
  ];
  return [
    figure('max beside mean', 'ratio', ours.peak, '1.05 + 1 cluster', 1.05 + one),
    figure('moved on join', 'of 1/(n+1)', ours.joined, LIMIT, 1),
    figure('moved on leave', "of the leaver's", ours.leaving, LIMIT, 1),
    figure('moved for a new cluster', 'clusters', ours.addition, LIMIT, 1),
    figure('schedulers of a geography', 'mean', ours.perGeography, LIMIT, 1.3),
    ...peers.flatMap(([peer, sharding]) => {
      const theirs = measure(sharding, fleet, names);
      return [
        figure('max beside mean', 'ratio', ours.peak, peer, theirs.peak),
        figure('schedulers of a geography', 'mean', ours.perGeography, peer, theirs.perGeography),
      ];
    }),
  ];
};

/** Quality of the assignment after many changes of the fleet. */
const churnFigures = (churn: (typeof CASES)[number]): readonly Figure[] => {
  const pool = fleetOf(churn.clusters * 2, churn.places);
  const { fleet, schedulers } = afterChurn(SHARDINGS['sticky-geo'], pool, churn);
  const homes = new Map(fleet.map(({ name, home = '' }) => [name, home]));
  const { perGeography } = qualityOf(fleet, homes, schedulers);
  const title = `${churn.clusters.toLocaleString('en')} clusters on ${churn.schedulers}, much used`;
  return [
    figureOf(
      {
        what: `schedulers of a geography, ${title}`,
        unit: 'mean',
        better: 'less',
        peer: LIMIT,
        goal: 1,
      },
      { ours: [perGeography], theirs: [1.3] },
    ),
  ];
};

const timesOf = (clusters: number, schedulers: number): Figure => {
  const fleet = fleetOf(clusters, 200);
  const names = Array.from({ length: schedulers }, (_, at) => `scheduler${at}`);
  const settledFleet = settledIn(fleet, SHARDINGS['sticky-geo'](fleet, names));
  const ours = Array.from({ length: ROUNDS }, () => {
    const before = performance.now();
    SHARDINGS['sticky-geo'](settledFleet, [...names, 'newcomer']);
    return performance.now() - before;
  });
  const what = `sharding afresh, ${clusters.toLocaleString('en')} clusters on ${schedulers}`;
  return figureOf(
    { what, unit: 'ms', better: 'less', peer: LIMIT, goal: 1 },
    { ours, theirs: ours.map(() => 100) },
  );
};

/** Quality of the assignment of clusters to schedulers, and proof that schedulers lose no binding. */
export const shardingBenchmark: Benchmark = {
  name: 'sharding',
  run: async () => [
    ...CASES.flatMap(figuresOf),
    ...CASES.flatMap(churnFigures),
    timesOf(10_000, 50),
    timesOf(10_000, 100),
    ...(await exactlyOnce()),
  ],
};
