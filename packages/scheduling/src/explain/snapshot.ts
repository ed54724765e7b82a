import type { MemberCluster } from '@perigee/api/kinds/clusters/member-cluster';
import type { Scheduler } from '@perigee/api/kinds/clusters/scheduler';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import type { Work } from '@perigee/api/kinds/placement/work';
import type { NamedResource } from '@perigee/api/values/karmada-names';
import type { JsonObject } from '@perigee/schema/json';
import type { SourceClusters } from '../data/carried-placement.ts';
import type { Binding } from '../placement/binding/binding.ts';
import type { Template } from '../placement/binding/desired-binding.ts';
import type { AnyPolicy } from '../placement/policy/policy-for.ts';
import type { PlacementWorld } from '../placement/scheduler/place.ts';

/** A value, or the reason why it could not be read. An absent object is a value, too. */
export type Reading<T> = { readonly value: T } | { readonly hidden: string };

/** The value; the fallback if it could not be read. */
export const read = <T, D>(reading: Reading<T>, otherwise: D): T | D =>
  'value' in reading ? reading.value : otherwise;

/** The position of work in its queue. */
export interface QueuePlace {
  readonly queue: string;
  readonly reason?: string;
  readonly message?: string;
  /** Counts from 1. */
  readonly position?: number;
  readonly inLine?: number;
}

/** An object of the same namespace without which pods do not start. */
export interface MemberNeed {
  readonly kind: string;
  readonly name: string;
}

/** The objects of the work in a member. */
export interface MemberState {
  /** The object itself; absent when the member does not have it. */
  readonly object?: JsonObject;
  readonly pods: readonly JsonObject[];
  /** Warning Events about the object, its dependents and its pods, the newest last. */
  readonly warnings: readonly JsonObject[];
  /** Of work that is not well: what the member lacks for its pods. */
  readonly lacking?: readonly MemberNeed[];
}

/** The inputs of the explanation of one workload, within the rights of the reader. */
export interface WorkSnapshot {
  readonly resource: NamedResource;
  readonly nowMs: number;
  readonly template: Reading<Template | undefined>;
  /** Similar names, if the template does not exist. */
  readonly similar?: readonly string[];
  readonly binding: Reading<Binding | undefined>;
  /** Policies of its namespace, cluster-wide ones, and near misses of other namespaces. */
  readonly policies: Reading<readonly AnyPolicy[]>;
  /** False if some policies could not be read. */
  readonly arePoliciesComplete: boolean;
  /** The names of override policies, as `namespace/name`; cluster-wide ones without a namespace. */
  readonly overrides: Reading<readonly string[]>;
  readonly priorityClasses: Reading<ReadonlyMap<string, number>>;
  readonly claims: Reading<readonly DataSourceClaim[]>;
  /** The clusters of the data that the work claims. */
  readonly clustersOf?: SourceClusters;
  /** Absent for work without a queue. */
  readonly queue?: Reading<QueuePlace>;
  readonly schedulers: Reading<readonly Scheduler[]>;
  readonly clusters: Reading<readonly MemberCluster[]>;
  /** The inputs of the scheduler. */
  readonly world: PlacementWorld;
  /** True if the reader may not see the room of nodes, unlike the scheduler. */
  readonly isRoomHidden: boolean;
  readonly works: Reading<readonly Work[]>;
  /** By cluster name: the clusters that have the work, or should have it. */
  readonly members: ReadonlyMap<string, Reading<MemberState>>;
}
