/** What can be told of a part of the fleet, or why nothing can. */
export type Part<T> = T | { readonly unknown: string };

export interface ClusterLine {
  readonly name: string;
  readonly phase: string;
  readonly homeScheduler?: string;
  readonly region?: string;
  /** What workloads may still take. */
  readonly free?: { readonly cpu?: string; readonly memory?: string; readonly pods?: string };
  /** Why it is not ready, in one word and in a sentence. */
  readonly reason?: string;
  readonly message?: string;
}

export interface ClustersStatus {
  readonly total: number;
  readonly ready: number;
  /** In how many of them room is counted on nodes, and not taken from sums; absent when that is not to be seen. */
  readonly counted?: number;
  /** Those that are not ready first. */
  readonly clusters: readonly ClusterLine[];
}

export interface SchedulerLine {
  readonly name: string;
  readonly phase: string;
  /** How many clusters it shall have. */
  readonly clusters: number;
  /** How many it has taken over. */
  readonly inUse: number;
}

export interface SchedulersStatus {
  readonly total: number;
  readonly active: number;
  /** Those that are not active first. */
  readonly schedulers: readonly SchedulerLine[];
}

/** Work that has no place yet. */
export interface HeldWork {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly since: string;
  readonly reason: string;
  readonly message: string;
}

/** Work that is placed, but of which a part is not well, is not known to be, or has not arrived. */
export interface DoubtfulWork {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Where its health is unknown. */
  readonly unknown: readonly string[];
  /** Where it has not arrived as it is now. */
  readonly undelivered: readonly string[];
  /** Where it is not well. */
  readonly unhealthy: readonly string[];
  /** The first cause, as `perigee explain` tells it. */
  readonly reason: string;
  readonly message: string;
  /** How many causes there are beside the first. */
  readonly more: number;
}

export interface WorkStatus {
  readonly total: number;
  readonly scheduled: number;
  /** Of those that are scheduled, the ones that all their clusters have. */
  readonly applied: number;
  /** Of those that are scheduled, the ones whose health is unknown in some of their clusters. */
  readonly unknownHealth: number;
  /** Of those that are scheduled, the ones that are not well somewhere, or of which some cluster has not got the newest. */
  readonly amiss: number;
  /** These, by name. */
  readonly doubtful: readonly DoubtfulWork[];
  /** Of those that are scheduled, the ones for which what is wanted now has no place or is held: they stay where they are. */
  readonly unmet: number;
  /** The oldest of these first, each with the reason. */
  readonly staying: readonly HeldWork[];
  readonly waiting: number;
  /** How much of the waiting work has which reason. */
  readonly reasons: { readonly [reason: string]: number };
  /** The oldest first. */
  readonly held: readonly HeldWork[];
}

/** Something that a controller cannot do, or that takes it very long. */
export interface ControllerTrouble {
  readonly controller: string;
  /** Empty for the controller as a whole. */
  readonly object: string;
  /** The member whose controller it is; absent for the control plane's own. */
  readonly cluster?: string;
  readonly problem: string;
  readonly message: string;
  readonly times: number;
  readonly since: string;
}

/** Something beside clusters and work that is not as it should be. */
export interface Trouble {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly since: string;
  readonly reason: string;
  readonly message: string;
}

export interface TroublesStatus {
  readonly total: number;
  /** The oldest first. */
  readonly troubles: readonly Trouble[];
}

export interface ControllersStatus {
  readonly total: number;
  /** The oldest first. */
  readonly troubles: readonly ControllerTrouble[];
}

/** How the whole fleet is doing. */
export interface FleetStatus {
  readonly clusters: Part<ClustersStatus>;
  readonly schedulers: Part<SchedulersStatus>;
  readonly work: Part<WorkStatus>;
  /** Claims without data, failed operations and triggers, queues that are closed while work waits in them. */
  readonly others: Part<TroublesStatus>;
  readonly controllers: Part<ControllersStatus>;
}
