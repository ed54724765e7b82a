/** A section of the status, or the reason why it cannot be read. */
export type Part<T> = T | { readonly unknown: string };

export interface ClusterLine {
  readonly name: string;
  readonly phase: string;
  readonly homeScheduler?: string;
  readonly region?: string;
  /** Free capacity for workloads. */
  readonly free?: { readonly cpu?: string; readonly memory?: string; readonly pods?: string };
  /** Reason and message of the Ready condition, when it is not true. */
  readonly reason?: string;
  readonly message?: string;
}

export interface ClustersStatus {
  readonly total: number;
  readonly ready: number;
  /**
   * Number of clusters whose room is counted on nodes rather than taken from sums; absent when the user may not see
   * it.
   */
  readonly counted?: number;
  /** Not Ready clusters first. */
  readonly clusters: readonly ClusterLine[];
}

export interface SchedulerLine {
  readonly name: string;
  readonly phase: string;
  /** Number of clusters assigned to it. */
  readonly clusters: number;
  /** Number of clusters that it has taken over. */
  readonly inUse: number;
}

export interface SchedulersStatus {
  readonly total: number;
  readonly active: number;
  /** Inactive schedulers first. */
  readonly schedulers: readonly SchedulerLine[];
}

/** Work that is not placed yet. */
export interface HeldWork {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly since: string;
  readonly reason: string;
  readonly message: string;
}

/** Placed work that is unhealthy, of unknown health, or outdated in some clusters. */
export interface DoubtfulWork {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Clusters where its health is unknown. */
  readonly unknown: readonly string[];
  /** Clusters that have not got its current version. */
  readonly undelivered: readonly string[];
  /** Clusters where it is unhealthy. */
  readonly unhealthy: readonly string[];
  /** The first cause, in the words of `perigee explain`. */
  readonly reason: string;
  readonly message: string;
  /** Number of further causes. */
  readonly more: number;
}

export interface WorkStatus {
  readonly total: number;
  readonly scheduled: number;
  /** Scheduled work that is applied in all its clusters. */
  readonly applied: number;
  /** Scheduled work whose health is unknown in some clusters. */
  readonly unknownHealth: number;
  /** Scheduled work that is unhealthy or outdated in some clusters. */
  readonly amiss: number;
  /** Details of the work counted in `amiss`. */
  readonly doubtful: readonly DoubtfulWork[];
  /** Scheduled work whose current spec cannot be placed, or is held: it stays where it is. */
  readonly unmet: number;
  /** Details of the work counted in `unmet`, the oldest first. */
  readonly staying: readonly HeldWork[];
  readonly waiting: number;
  /** Number of waiting workloads by reason. */
  readonly reasons: { readonly [reason: string]: number };
  /** The oldest first. */
  readonly held: readonly HeldWork[];
}

/** A persistent error of a controller, or a very long reconcile. */
export interface ControllerTrouble {
  readonly controller: string;
  /** Empty if it concerns the whole controller. */
  readonly object: string;
  /** The member whose controller it is; absent for those of the control plane. */
  readonly cluster?: string;
  readonly problem: string;
  readonly message: string;
  readonly times: number;
  readonly since: string;
}

/** A problem outside of clusters and work. */
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
  /** The kinds that the user may not list, so that nothing is known of them. */
  readonly hiddenKinds: readonly string[];
}

export interface ControllersStatus {
  readonly total: number;
  /** The oldest first. */
  readonly troubles: readonly ControllerTrouble[];
}

/** The health of the whole fleet. */
export interface FleetStatus {
  readonly clusters: Part<ClustersStatus>;
  readonly schedulers: Part<SchedulersStatus>;
  readonly work: Part<WorkStatus>;
  /** Claims without data, failed operations and triggers, closed queues with a backlog. */
  readonly others: Part<TroublesStatus>;
  readonly controllers: Part<ControllersStatus>;
}
