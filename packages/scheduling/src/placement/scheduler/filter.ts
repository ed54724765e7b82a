import type { ClusterFacts } from './cluster-facts.ts';
import type { PlacementRequest } from './placement-request.ts';

/** Why a cluster cannot be used. The message counts clusters with the same text together. */
export interface Refusal {
  readonly filter: string;
  /** A word from the list of its filter. */
  readonly reason: string;
  readonly message: string;
}

/** Bindings of the same group, and where they are. */
export interface WorkloadGroups {
  /** The clusters of each other binding in the work's affinity group. */
  affine(request: PlacementRequest): readonly ReadonlySet<string>[];
  /** The clusters of each other binding in the work's anti-affinity group. */
  averse(request: PlacementRequest): readonly ReadonlySet<string>[];
}

/** A rule that a cluster has to pass. `prepare` reads the binding once, and returns the check of each cluster. */
export interface Filter {
  readonly name: string;
  /** The closed list of its reasons. */
  readonly reasons: readonly string[];
  /** True if it refuses every cluster outside of the request's affinities. */
  keepsToAffinities?(request: PlacementRequest): boolean;
  /** Absent when the rule does not concern the binding. */
  prepare(
    request: PlacementRequest,
    groups: WorkloadGroups | undefined,
  ): ((cluster: ClusterFacts) => Refusal | undefined) | undefined;
}

/** A rule that prefers some of the clusters that passed, from 0 to 100. */
export interface Score {
  readonly name: string;
  prepare(request: PlacementRequest): ((cluster: ClusterFacts) => number) | undefined;
}
