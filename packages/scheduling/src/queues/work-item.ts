import type { Amount, Amounts } from './amounts.ts';
import type { RoomShortage } from './room-shortage.ts';

/** Work that waits in a queue. */
export interface WorkItem {
  readonly key: string;
  readonly queue: string;
  /** The value of its priority class; higher goes first. */
  readonly priority: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** The full request: every replica of every component, times the clusters of duplicated work. */
  readonly requests: Amounts;
  /** Work of one shape fits in the same places: same requests, placement and data. */
  readonly shape: string;
  readonly isGang: boolean;
  /** Work whose data claims are not settled is not released. */
  readonly claimsSettled: boolean;
}

/** Released work that has not finished. */
export interface RunningWork {
  readonly key: string;
  readonly queue: string;
  readonly priority: number;
  /** Time of release, in epoch milliseconds. */
  readonly startedAt: number;
  /** The current total request. */
  readonly amounts: Amounts;
  readonly clusters: readonly string[];
}

/** Replicas by cluster. */
export type ChosenClusters = { readonly [cluster: string]: number };

/** The outcome of a placement attempt on the current free room. */
export type Feasibility =
  | { readonly kind: 'fits'; readonly clusters: ChosenClusters }
  | {
      readonly kind: 'not-now';
      readonly missing: Amounts;
      /** The clusters that pass the filters: reserve room in these. */
      readonly clusters: readonly string[];
      /** The shortages of the closest clusters, if known. */
      readonly shortages?: readonly RoomShortage[];
    }
  | { readonly kind: 'never'; readonly why: string };

/** `avoid`: clusters reserved for other work. */
export type Fits = (item: WorkItem, avoid: ReadonlySet<string>) => Feasibility;

/** An amount missing at a limit. */
export interface Shortage {
  /** The queue that sets the limit. */
  readonly queue: string;
  /**
   * `guarantees`: others' guarantees leave too little. `total`: the clusters have too little.
   * `reserved`: the rest is reserved for overdue work.
   */
  readonly limit: 'capability' | 'guarantees' | 'total' | 'reserved';
  readonly resource: string;
  /** The full request of the work. */
  readonly asked: Amount;
  readonly missing: Amount;
  /** The limit itself, used or not. */
  readonly allowed: Amount;
  /** The key of the work that holds the reservation. */
  readonly reservedFor?: string;
}
