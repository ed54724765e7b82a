import { fits, type Shard, type Shares } from './shard.ts';

interface Fragment {
  readonly shard: Shard;
  readonly geography: string;
  readonly clusters: number;
}

/** The parts of geographies that several schedulers have, the smallest first. */
const partsOf = (shards: readonly Shard[]): readonly Fragment[] => {
  const all = shards.flatMap((shard) =>
    Array.from(shard.fragments, ([geography, pieces]): Fragment => {
      return { shard, geography, clusters: pieces.size };
    }),
  );
  return [...Map.groupBy(all, ({ geography }) => geography).values()]
    .filter((parts) => parts.length > 1)
    .flat()
    .sort(
      (a, b) =>
        a.clusters - b.clusters ||
        (a.geography < b.geography ? -1 : Number(a.geography > b.geography)) ||
        (a.shard.name < b.shard.name ? -1 : 1),
    );
};

/** Who has the most of a geography and room for the rest of it. */
const takerOf = ({ shard, geography }: Fragment, { shards, cap }: Shares): Shard | undefined => {
  const weight = shard.held(geography);
  return shards
    .filter(
      (other) =>
        other !== shard && other.held(geography) >= weight && fits(other.load + weight, cap),
    )
    .reduce<Shard | undefined>(
      (best, other) =>
        best === undefined || other.held(geography) > best.held(geography) ? other : best,
      undefined,
    );
};

/**
 * Brings together what is left of geographies that came to be split, with so many moves at most: part by part,
 * a whole one each time, to a scheduler that has more of it already. Nobody gets more than the cap, and each
 * step leaves one part less, so that nothing goes to and fro. O(n·g) for n schedulers and g parts.
 */
export const mendGeographies = (shares: Shares, moves: number): void => {
  let left = moves;
  for (const part of partsOf(shares.shards)) {
    const { shard, geography } = part;
    const pieces = [...(shard.fragments.get(geography) ?? [])];
    // What others have brought to it since has made it another part.
    if (pieces.length !== part.clusters || pieces.length > left) continue;
    const taker = takerOf(part, shares);
    if (taker === undefined) continue;
    for (const piece of pieces) {
      shard.remove(piece);
      taker.add(piece);
    }
    left -= pieces.length;
  }
};
