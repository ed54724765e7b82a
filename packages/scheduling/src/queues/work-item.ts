import type { Amount, Amounts } from './amounts.ts';
import type { RoomShortage } from './room-shortage.ts';

/** Work that waits in a queue. */
export interface WorkItem {
  readonly key: string;
  readonly queue: string;
  /** Of its priority class: more goes first. */
  readonly priority: number;
  /** In milliseconds. */
  readonly createdAt: number;
  /** All of it: every replica of every component, once for each cluster where it is duplicated. */
  readonly requests: Amounts;
  /** Work of one shape fits alike: the same requests, the same placement, the same data. */
  readonly shape: string;
  readonly isGang: boolean;
  /** Work whose data is not settled is no candidate. */
  readonly claimsSettled: boolean;
}

/** Work that was released and is not over. */
export interface RunningWork {
  readonly key: string;
  readonly queue: string;
  readonly priority: number;
  /** When it was released, in milliseconds. */
  readonly startedAt: number;
  /** What it takes now, in all. */
  readonly amounts: Amounts;
  readonly clusters: readonly string[];
  /** Work that its owner does not want to be taken back. */
  readonly isProtected?: boolean;
}

/** Replicas by cluster. */
export type ChosenClusters = { readonly [cluster: string]: number };

/** Where work can run, by the room that there is. */
export type Feasibility =
  | { readonly kind: 'fits'; readonly clusters: ChosenClusters }
  | {
      readonly kind: 'not-now';
      readonly missing: Amounts;
      /** The clusters that would hold it when other work there ends: the ones to keep room in. */
      readonly clusters: readonly string[];
      /** What is missing in which of them, a few at most. */
      readonly shortages?: readonly RoomShortage[];
    }
  | { readonly kind: 'never'; readonly why: string };

/** `avoid`: clusters whose room is kept for other work. */
export type Fits = (item: WorkItem, avoid: ReadonlySet<string>) => Feasibility;

/** Amounts that are missing at a limit. */
export interface Shortage {
  /** The queue whose limit it is. */
  readonly queue: string;
  /**
   * `guarantees`: it would take what others are guaranteed. `total`: the clusters do not have it. `reserved`: it is
   * kept for work that has waited for too long.
   */
  readonly limit: 'capability' | 'guarantees' | 'total' | 'reserved';
  readonly resource: string;
  readonly missing: Amount;
  /** The key of the work that it is kept for. */
  readonly reservedFor?: string;
}
