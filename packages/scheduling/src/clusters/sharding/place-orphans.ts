import { affinityOf, hashOf } from './mixed-hash.ts';
import { byWeight, fits, type Piece, type Shard, type Shares, weightOf } from './shard.ts';

/** The shard of the highest worth. The hash breaks ties, so that every process agrees. */
const best = (
  shards: readonly Shard[],
  about: string,
  worth: (shard: Shard) => number,
): Shard | undefined => {
  let bestShard: { shard: Shard; worth: number; affinity: number } | undefined;
  const own = hashOf(about);
  for (const shard of shards) {
    const value = worth(shard);
    if (
      value === Number.NEGATIVE_INFINITY ||
      (bestShard !== undefined && value < bestShard.worth)
    ) {
      continue;
    }
    const affinity = affinityOf(own, shard.hash);
    if (bestShard === undefined || value > bestShard.worth || affinity > bestShard.affinity) {
      bestShard = { shard, worth: value, affinity };
    }
  }
  return bestShard?.shard;
};

const NO = Number.NEGATIVE_INFINITY;

/**
 * The shard for a whole group: the one with the most of its geography and room up to the cap, else
 * the one with the most of the next wider geography and room up to the mean, else the lightest with
 * room.
 */
const takerOf = (
  { geographies, geography }: Piece,
  weight: number,
  { shards, mean, cap }: Shares,
): Shard | undefined => {
  const holder = (of: string, limit: number) =>
    best(shards, geography, (shard) => {
      const weightThere = shard.weightIn(of);
      return weightThere > 0 && fits(shard.load + weight, limit) ? weightThere : NO;
    });
  const same = holder(geography, cap);
  if (same !== undefined) return same;
  for (let depth = geographies.length - 2; depth >= 0; depth -= 1) {
    const near = holder(geographies[depth] ?? '', mean);
    if (near !== undefined) return near;
  }
  return best(shards, geography, (shard) => (fits(shard.load + weight, cap) ? -shard.load : NO));
};

/** Adds the pieces that fit below the limit, in order; returns the rest. */
const fill = (shard: Shard, pieces: readonly Piece[], limit: number): readonly Piece[] =>
  pieces.filter((piece) => {
    if (!fits(shard.load + piece.cluster.weight, limit)) return true;
    shard.add(piece);
    return false;
  });

/** Places a part of a group that fits nowhere as a whole; returns the rest. */
const placePart = (pieces: readonly Piece[], shares: Shares): readonly Piece[] => {
  const { shards, mean, cap } = shares;
  const [heaviest] = pieces;
  const least = pieces.at(-1)?.cluster.weight ?? 0;
  if (heaviest === undefined) return [];
  const holder = best(shards, heaviest.geography, (shard) =>
    shard.weightIn(heaviest.geography) > 0 && fits(shard.load + least, cap)
      ? shard.weightIn(heaviest.geography)
      : NO,
  );
  if (holder !== undefined) return fill(holder, pieces, cap);
  const taker = best(shards, heaviest.geography, (shard) => -shard.load);
  if (taker === undefined) return [];
  if (fits(taker.load + least, cap)) {
    return fill(taker, pieces, fits(taker.load + least, mean) ? mean : cap);
  }
  taker.add(heaviest);
  return pieces.slice(1);
};

const placeGroup = (group: readonly Piece[], shares: Shares): void => {
  let rest = group.toSorted(byWeight);
  for (let [first] = rest; first !== undefined; [first] = rest) {
    const taker = takerOf(first, weightOf(rest), shares);
    if (taker === undefined) {
      rest = [...placePart(rest, shares)];
    } else {
      for (const piece of rest) taker.add(piece);
      return;
    }
  }
};

/** Honours the home that the administrator requested, if it has room. */
const placeAsRequested = (piece: Piece, { shards, cap }: Shares): boolean => {
  const { requestedHome, weight } = piece.cluster;
  const requestedShard = shards.find(({ name }) => name === requestedHome);
  if (requestedShard === undefined || !fits(requestedShard.load + weight, cap)) return false;
  requestedShard.add(piece);
  return true;
};

/** Assigns clusters without a home, by geography, the heaviest group first. */
export const placeOrphans = (orphans: readonly Piece[], shares: Shares): void => {
  const free = orphans.filter((piece) => !placeAsRequested(piece, shares));
  const groups = [...Map.groupBy(free, ({ geography }) => geography)].map(
    ([geography, pieces]) => ({ geography, pieces, weight: weightOf(pieces) }),
  );
  groups.sort((a, b) => b.weight - a.weight || (a.geography < b.geography ? -1 : 1));
  for (const { pieces } of groups) placeGroup(pieces, shares);
};
