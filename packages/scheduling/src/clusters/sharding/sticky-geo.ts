import { fillNewcomer } from './fill-newcomer.ts';
import { placeOrphans } from './place-orphans.ts';
import { repairGeographies } from './repair-geographies.ts';
import { fits, lightest, type Piece, pieceMaker, Shard, type Shares, weightOf } from './shard.ts';
import { type Assignment, type Sharding, SLACK } from './sharding.ts';

/** Clusters in the order of giving them up: the smallest fragments of geographies first. */
const spareOf = (shard: Shard): readonly Piece[] =>
  [...shard.fragments]
    .sort(([a], [b]) => shard.weightIn(a) - shard.weightIn(b) || (a < b ? -1 : 1))
    .flatMap(([, pieces]) => [...pieces]);

const takerOf = (piece: Piece, { shards, cap }: Shares): Shard | undefined => {
  const hasRoom = (shard: Shard) => fits(shard.load + piece.cluster.weight, cap);
  const holders = shards.filter((shard) => shard.weightIn(piece.geography) > 0 && hasRoom(shard));
  return lightest(holders) ?? lightest(shards.filter(hasRoom));
};

/**
 * Brings overloaded schedulers below the cap within a budget of moves, and returns the budget left.
 * Overload arises when clusters grow or schedulers lose theirs.
 */
const repairOverload = (shares: Shares, repairs: number): number => {
  const { shards, cap } = shares;
  let repairsLeft = repairs;
  for (const donor of shards.toSorted((a, b) => b.load - a.load)) {
    for (const piece of repairsLeft > 0 && !fits(donor.load, cap) ? spareOf(donor) : []) {
      if (repairsLeft === 0 || fits(donor.load, cap)) break;
      const taker = takerOf(piece, shares);
      if (taker === undefined) continue;
      donor.remove(piece);
      taker.add(piece);
      repairsLeft -= 1;
    }
  }
  return repairsLeft;
};

const assignmentOf = (shards: readonly Shard[]): Assignment => {
  const homes = new Map<string, string>();
  for (const { name, fragments } of shards) {
    for (const pieces of fragments.values()) {
      for (const { cluster } of pieces) homes.set(cluster.name, name);
    }
  }
  return homes;
};

/**
 * Clusters stay while their scheduler takes part. Orphans go to their geography; a scheduler
 * without clusters takes its share from the others. No scheduler exceeds the mean plus slack by
 * weight, except with a cluster that fits nowhere.
 *
 * O(m log m + g·n) for m clusters in g geographies and n schedulers; O(m·n) when geographies have
 * to be split cluster by cluster.
 */
export const stickyGeo: Sharding = (clusters, schedulers, { slack = SLACK, repairs = 0 } = {}) => {
  const shards = schedulers.toSorted().map((name) => new Shard(name));
  if (shards.length === 0) return new Map();
  const byName = new Map(shards.map((shard) => [shard.name, shard]));
  const pieces = clusters.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(pieceMaker());
  const mean = weightOf(pieces) / shards.length;
  const shares = { shards, mean, cap: mean * (1 + slack) };
  const orphans: Piece[] = [];
  for (const piece of pieces) {
    const home = byName.get(piece.cluster.home ?? '');
    if (home === undefined) orphans.push(piece);
    else home.add(piece);
  }
  const loadedShards = shards.filter(({ load }) => load > 0);
  const newcomers = shards.filter(({ load }) => load === 0);
  placeOrphans(orphans, shares);
  for (const newcomer of newcomers) {
    const donors = newcomer.load > 0 ? loadedShards : shards.filter(({ load }) => load > 0);
    fillNewcomer(newcomer, donors, slack, shares);
  }
  if (repairs > 0) repairGeographies(shares, repairOverload(shares, repairs));
  return assignmentOf(shards);
};
