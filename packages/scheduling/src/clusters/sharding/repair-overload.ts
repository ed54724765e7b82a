import { fits, lightest, type Piece, type Shard, type Shares } from './shard.ts';

/** Clusters in the order of giving them up: the smallest fragments of geographies first. */
const spareOf = (shard: Shard): readonly Piece[] =>
  [...shard.fragments]
    .sort(([a], [b]) => shard.held(a) - shard.held(b) || (a < b ? -1 : 1))
    .flatMap(([, pieces]) => [...pieces]);

const takerOf = (piece: Piece, { shards, cap }: Shares): Shard | undefined => {
  const hasRoom = (shard: Shard) => fits(shard.load + piece.cluster.weight, cap);
  const holders = shards.filter((shard) => shard.held(piece.geography) > 0 && hasRoom(shard));
  return lightest(holders) ?? lightest(shards.filter(hasRoom));
};

/**
 * Brings overloaded schedulers below the cap within a budget of moves, and returns the budget left.
 * Overload arises when clusters grow or schedulers lose theirs.
 */
export const repairOverload = (shares: Shares, repairs: number): number => {
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
