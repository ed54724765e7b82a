/** What sharding has to know about a cluster. */
export interface ShardedCluster {
  readonly name: string;
  /** What is hashed: it stays when other clusters come and go. */
  readonly id: string;
  /** Where it is, from the country down to the city. Empty: nobody knows, so it belongs to no geography. */
  readonly place: readonly string[];
  /** Its share of the work: how much it can hold. More than nothing. */
  readonly weight: number;
  /** The scheduler that has it now. */
  readonly home?: string;
  /** The scheduler that the administrator would like. */
  readonly wish?: string;
}

export interface ShardingOptions {
  /** How far above the mean a scheduler may be: 0.05 unless given. */
  readonly slack?: number;
  /** How many clusters may move for no other reason than that a scheduler has too much: none unless given. */
  readonly repairs?: number;
}

/** How far above the mean a scheduler may be, unless told otherwise. */
export const SLACK = 0.05;

/** The home of each cluster, by their names. */
export type Assignment = ReadonlyMap<string, string>;

/**
 * Gives each cluster one of the schedulers; nothing when there are none. It depends on nothing but what it
 * is given, and not on the order of that.
 */
export type Sharding = (
  clusters: readonly ShardedCluster[],
  schedulers: readonly string[],
  options?: ShardingOptions,
) => Assignment;

export interface Move {
  readonly cluster: string;
  /** Absent for a cluster that had no home. */
  readonly from?: string;
  readonly to: string;
}

/** What an assignment changes, in the order of names. */
export const movesOf = (
  clusters: readonly ShardedCluster[],
  assignment: Assignment,
): readonly Move[] =>
  clusters
    .flatMap(({ name, home }): readonly Move[] => {
      const to = assignment.get(name);
      if (to === undefined || to === home) return [];
      return [{ cluster: name, ...(home === undefined ? {} : { from: home }), to }];
    })
    .sort((a, b) => (a.cluster < b.cluster ? -1 : 1));

/** The same clusters with the homes that an assignment gives them. */
export const settledIn = (
  clusters: readonly ShardedCluster[],
  assignment: Assignment,
): readonly ShardedCluster[] =>
  clusters.map((cluster) => {
    const home = assignment.get(cluster.name);
    return home === undefined || home === cluster.home ? cluster : { ...cluster, home };
  });
