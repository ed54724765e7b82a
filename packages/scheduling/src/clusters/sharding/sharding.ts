import { present } from '@perigee/schema/present';

/** A cluster as input to sharding. */
export interface ShardedCluster {
  readonly name: string;
  /** Hash input: stable when other clusters come and go. */
  readonly id: string;
  /** Location from country to city. Empty: unknown, so that it belongs to no geography. */
  readonly place: readonly string[];
  /** Its capacity, as its share of the work; positive. */
  readonly weight: number;
  /** The current home scheduler. */
  readonly home?: string;
  /** The home that the administrator requests. */
  readonly requestedHome?: string;
}

export interface ShardingOptions {
  /** The allowed load above the mean. Default: 0.05. */
  readonly slack?: number;
  /** The number of clusters that may move only to relieve overload. Default: 0. */
  readonly repairs?: number;
}

/** Default of `ShardingOptions.slack`. */
export const SLACK = 0.05;

/** Scheduler by cluster name. */
export type Assignment = ReadonlyMap<string, string>;

/**
 * Assigns every cluster to a scheduler; empty without schedulers. Deterministic, and independent of
 * the input order.
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

/** The moves of an assignment, sorted by name. */
export const movesOf = (
  clusters: readonly ShardedCluster[],
  assignment: Assignment,
): readonly Move[] =>
  clusters
    .flatMap(({ name, home }): readonly Move[] => {
      const to = assignment.get(name);
      if (to === undefined || to === home) return [];
      return [{ cluster: name, ...present({ from: home }), to }];
    })
    .sort((a, b) => (a.cluster < b.cluster ? -1 : 1));

/** The clusters with their homes under an assignment. */
export const settledIn = (
  clusters: readonly ShardedCluster[],
  assignment: Assignment,
): readonly ShardedCluster[] =>
  clusters.map((cluster) => {
    const home = assignment.get(cluster.name);
    return home === undefined || home === cluster.home ? cluster : { ...cluster, home };
  });
