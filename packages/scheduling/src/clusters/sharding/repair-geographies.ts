import { fits, type Shard, type Shares } from './shard.ts';

interface Fragment {
  readonly shard: Shard;
  readonly geography: string;
  readonly clusters: number;
}

/** Fragments of geographies that are split over several schedulers, the smallest first. */
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

/** The scheduler with the most of a geography and room for this fragment. */
const takerOf = ({ shard, geography }: Fragment, { shards, cap }: Shares): Shard | undefined => {
  const weight = shard.weightIn(geography);
  return shards
    .filter(
      (other) =>
        other !== shard && other.weightIn(geography) >= weight && fits(other.load + weight, cap),
    )
    .reduce<Shard | undefined>(
      (best, other) =>
        best === undefined || other.weightIn(geography) > best.weightIn(geography) ? other : best,
      undefined,
    );
};

/**
 * Merges split geographies within a budget of moves: each step moves a whole fragment to a
 * scheduler with more of that geography. None exceeds the cap, and each step removes one fragment,
 * so that nothing oscillates. O(n·g) for n schedulers and g fragments.
 */
export const repairGeographies = (shares: Shares, moves: number): void => {
  let movesLeft = moves;
  for (const part of partsOf(shares.shards)) {
    const { shard, geography } = part;
    const pieces = [...(shard.fragments.get(geography) ?? [])];
    // An earlier merge has grown this fragment: skip it.
    if (pieces.length !== part.clusters || pieces.length > movesLeft) continue;
    const taker = takerOf(part, shares);
    if (taker === undefined) continue;
    for (const piece of pieces) {
      shard.remove(piece);
      taker.add(piece);
    }
    movesLeft -= pieces.length;
  }
};
