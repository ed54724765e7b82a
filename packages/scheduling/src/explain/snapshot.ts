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

/** A value that was read, or the reason why it could not be. Absence is a value. */
export type Reading<T> = { readonly value: T } | { readonly hidden: string };

/** The value, as far as it could be read. */
export const read = <T, D>(reading: Reading<T>, otherwise: D): T | D =>
  'value' in reading ? reading.value : otherwise;

/** The place of work in its queue. */
export interface QueuePlace {
  readonly queue: string;
  readonly reason?: string;
  readonly message?: string;
  /** Counts from 1. */
  readonly position?: number;
  readonly inLine?: number;
}

/** The objects of the work in a member. */
export interface MemberState {
  /** The object itself; absent when the member does not have it. */
  readonly object?: JsonObject;
  readonly pods: readonly JsonObject[];
  /** Warnings about the object, what it made and its pods, the newest last. */
  readonly warnings: readonly JsonObject[];
}

/** Everything about one workload that an explanation rests on, as far as whoever asks may read it. */
export interface WorkSnapshot {
  readonly resource: NamedResource;
  readonly nowMs: number;
  readonly template: Reading<Template | undefined>;
  /** Names like that of a template that is not there. */
  readonly similar?: readonly string[];
  readonly binding: Reading<Binding | undefined>;
  /** Those of its namespace, the cluster-wide ones, and those of other namespaces, which may nearly select it. */
  readonly policies: Reading<readonly AnyPolicy[]>;
  /** False if some policies could not be read. */
  readonly arePoliciesComplete: boolean;
  /** The names of override policies, as `namespace/name`; cluster-wide ones without a namespace. */
  readonly overrides: Reading<readonly string[]>;
  readonly priorityClasses: Reading<ReadonlyMap<string, number>>;
  readonly claims: Reading<readonly DataSourceClaim[]>;
  /** The clusters of the data that the work claims. */
  readonly clustersOf?: SourceClusters;
  /** Absent for work that is in no queue. */
  readonly queue?: Reading<QueuePlace>;
  readonly schedulers: Reading<readonly Scheduler[]>;
  readonly clusters: Reading<readonly MemberCluster[]>;
  /** The inputs of the scheduler. */
  readonly world: PlacementWorld;
  /** True if the reader may not see the room of nodes, though the scheduler does. */
  readonly isRoomHidden: boolean;
  readonly works: Reading<readonly Work[]>;
  /** By the name of the cluster: those that have the work, or should. */
  readonly members: ReadonlyMap<string, Reading<MemberState>>;
}
