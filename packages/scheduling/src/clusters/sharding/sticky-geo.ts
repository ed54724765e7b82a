import { fillNewcomer } from './fill-newcomer.ts';
import { mendGeographies } from './mend-geographies.ts';
import { placeOrphans } from './place-orphans.ts';
import { repairOverload } from './repair-overload.ts';
import { type Piece, pieceMaker, Shard, weightOf } from './shard.ts';
import { type Assignment, type Sharding, SLACK } from './sharding.ts';

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
  if (repairs > 0) mendGeographies(shares, repairOverload(shares, repairs));
  return assignmentOf(shards);
};
