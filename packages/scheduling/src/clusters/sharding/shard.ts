import { type Hash, hashOf } from './mixed-hash.ts';
import type { ShardedCluster } from './sharding.ts';

/** A cluster, and its geographies from the widest to its own. */
export interface Piece {
  readonly cluster: ShardedCluster;
  readonly geographies: readonly string[];
  /** The narrowest geography: clusters that share it stay together. */
  readonly geography: string;
}

const SEPARATOR = '\u0000';

/** Derives the geographies of clusters; clusters of one place share one array. */
export const pieceMaker = (): ((cluster: ShardedCluster) => Piece) => {
  const geographiesByPlace = new Map<string, readonly string[]>();
  const geographiesOf = (place: readonly string[]): readonly string[] => {
    const own = place.join(SEPARATOR);
    const cachedGeographies = geographiesByPlace.get(own);
    if (cachedGeographies !== undefined) return cachedGeographies;
    const newGeographies = place.map((_, depth) => place.slice(0, depth + 1).join(SEPARATOR));
    geographiesByPlace.set(own, newGeographies);
    return newGeographies;
  };
  return (cluster) => {
    const geographies = geographiesOf(cluster.place);
    const alone = [`${SEPARATOR}${cluster.id}`];
    const [geography = ''] = geographies.length === 0 ? alone : geographies.slice(-1);
    return { cluster, geographies: geographies.length === 0 ? alone : geographies, geography };
  };
};

export const weightOf = (pieces: Iterable<Piece>): number => {
  let weight = 0;
  for (const { cluster } of pieces) weight += cluster.weight;
  return weight;
};

/** The heaviest first; ties go by name. */
export const byWeight = (a: Piece, b: Piece): number =>
  b.cluster.weight - a.cluster.weight || (a.cluster.name < b.cluster.name ? -1 : 1);

/** A scheduler and its clusters during an assignment. */
export class Shard {
  readonly name: string;
  readonly hash: Hash;
  readonly #fragments = new Map<string, Set<Piece>>();
  readonly #weightIn = new Map<string, number>();
  #load = 0;

  constructor(name: string) {
    this.name = name;
    this.hash = hashOf(name);
  }

  get load(): number {
    return this.#load;
  }

  get fragments(): ReadonlyMap<string, ReadonlySet<Piece>> {
    return this.#fragments;
  }

  /** The weight of its clusters in a geography. */
  weightIn(geography: string): number {
    return this.#weightIn.get(geography) ?? 0;
  }

  add(piece: Piece): void {
    this.#weigh(piece, piece.cluster.weight);
    const fragment = this.#fragments.get(piece.geography);
    if (fragment === undefined) this.#fragments.set(piece.geography, new Set([piece]));
    else fragment.add(piece);
  }

  remove(piece: Piece): void {
    this.#weigh(piece, -piece.cluster.weight);
    const fragment = this.#fragments.get(piece.geography);
    fragment?.delete(piece);
    if (fragment?.size === 0) this.#fragments.delete(piece.geography);
  }

  #weigh({ geographies }: Piece, weight: number): void {
    this.#load += weight;
    for (const geography of geographies)
      this.#weightIn.set(geography, this.weightIn(geography) + weight);
  }
}

/** The schedulers with the mean and the maximum weight. */
export interface Shares {
  readonly shards: readonly Shard[];
  readonly mean: number;
  /** The upper bound, exceeded only by a cluster that fits nowhere. */
  readonly cap: number;
}

/** Tolerance for sums of floating-point weights. */
const ROUNDING = 1e-9;

export const fits = (load: number, limit: number): boolean => load <= limit * (1 + ROUNDING);

export const lightest = (shards: readonly Shard[]): Shard | undefined =>
  shards.reduce<Shard | undefined>(
    (best, shard) => (best === undefined || shard.load < best.load ? shard : best),
    undefined,
  );
