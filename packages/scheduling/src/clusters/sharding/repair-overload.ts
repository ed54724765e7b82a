import { fits, lightest, type Piece, type Shard, type Shares } from './shard.ts';

/** The smallest parts of geographies first: they are the least loss where they are. */
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
 * Brings schedulers that have too much below the cap again, with so many moves at most, and tells how many are
 * left. Clusters that grew or went make that necessary now and then.
 */
export const repairOverload = (shares: Shares, repairs: number): number => {
  const { shards, cap } = shares;
  let left = repairs;
  for (const donor of shards.toSorted((a, b) => b.load - a.load)) {
    for (const piece of left > 0 && !fits(donor.load, cap) ? spareOf(donor) : []) {
      if (left === 0 || fits(donor.load, cap)) break;
      const taker = takerOf(piece, shares);
      if (taker === undefined) continue;
      donor.remove(piece);
      taker.add(piece);
      left -= 1;
    }
  }
  return left;
};
